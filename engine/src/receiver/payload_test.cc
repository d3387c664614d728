// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "receiver/payload.h"

#include <gtest/gtest.h>

namespace tester {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes FrameOf(size_t bytes, uint8_t fill) { return Bytes(bytes, fill); }

TEST(Payloads, EndWhereTheSignatureBegins) {
  OrderPlace place;
  const Payloads payloads({FrameOf(60, 7)}, {}, 42);  // two bytes
  EXPECT_TRUE(payloads.Match(place, 0, Bytes{0, 0, 0, 7, 7}));
  EXPECT_TRUE(payloads.Match(place, 99, Bytes{7, 7}));
  EXPECT_FALSE(payloads.Match(place, 0, Bytes{7, 7, 0}));
  EXPECT_FALSE(payloads.Match(place, 0, Bytes{7})) << "cut short";
}

TEST(Payloads, EachFrameHasItsOwn) {
  OrderPlace place;
  const std::vector<Bytes> frames = {FrameOf(60, 1), FrameOf(62, 2), FrameOf(60, 3)};
  const Payloads in_turn(frames, {}, 42);
  EXPECT_TRUE(in_turn.Match(place, 3, Bytes{1, 1}));
  EXPECT_TRUE(in_turn.Match(place, 4, Bytes{2, 2, 2, 2}));
  EXPECT_FALSE(in_turn.Match(place, 4, Bytes{2, 2}));
  const Payloads ordered(frames, {{2, 2}, {0, 1}}, 42);
  place = {};
  EXPECT_TRUE(ordered.Match(place, 0, Bytes{3, 3}));
  EXPECT_TRUE(ordered.Match(place, 4, Bytes{3, 3}));
  EXPECT_TRUE(ordered.Match(place, 5, Bytes{1, 1}));
}

TEST(Payloads, NothingMatchesAnything) {
  OrderPlace place;
  const Payloads payloads({FrameOf(60, 7)}, {}, 44);
  EXPECT_TRUE(payloads.Match(place, 0, Bytes{}));
}

}  // namespace
}  // namespace tester
