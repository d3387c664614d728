// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "stats/versions.h"

#include <gtest/gtest.h>

namespace tester {
namespace {

TEST(Flips, StartInVersionZero) {
  Flips flips;
  EXPECT_EQ(flips.Open(), 0U);
  EXPECT_EQ(flips.Begin(0), 0U);
  EXPECT_EQ(flips.StretchOf(123).version, 0U);
}

TEST(Flips, AFrameHasTheVersionItLeftWith) {
  Flips flips;
  flips.Begin(0);
  flips.Ask();
  EXPECT_EQ(flips.Open(), 1U) << "for those who ask";
  EXPECT_EQ(flips.StretchOf(500).version, 0U) << "but the sender does not know yet";
  EXPECT_EQ(flips.Begin(100), 1U);
  EXPECT_EQ(flips.Begin(150), 1U);
  flips.Ask();
  EXPECT_EQ(flips.Begin(200), 0U);
  EXPECT_EQ(flips.StretchOf(0).version, 0U);
  EXPECT_EQ(flips.StretchOf(99).version, 0U);
  EXPECT_EQ(flips.StretchOf(100).version, 1U);
  EXPECT_EQ(flips.StretchOf(199).version, 1U);
  EXPECT_EQ(flips.StretchOf(200).version, 0U);
}

TEST(Flips, VersionsInWhichNothingLeftBelongToNoFrame) {
  Flips flips;
  flips.Begin(0);
  for (int i = 0; i < 3; ++i) flips.Ask();
  EXPECT_EQ(flips.Begin(10), 1U);
  EXPECT_EQ(flips.StretchOf(9).version, 0U);
  EXPECT_EQ(flips.StretchOf(10).version, 1U);
}

TEST(Flips, ForgetWhatIsLongAgo) {
  Flips flips;
  for (uint64_t i = 1; i <= 1000; ++i) {
    flips.Ask();
    flips.Begin(i * 10);
  }
  EXPECT_EQ(flips.StretchOf(9995).version, 1U) << "between the flips 999 and 1000";
  EXPECT_EQ(flips.StretchOf(9805).version, 0U);
  EXPECT_EQ(flips.StretchOf(5).version, std::nullopt);
}

TEST(VersionCount, SumsTimesOfWholeBursts) {
  VersionCount count;
  count.Add(3, 192, uint64_t{1} << 62);
  EXPECT_EQ(count.packets.Get(), 3U);
  EXPECT_EQ(count.bytes.Get(), 192U);
  count.Add(2, 128, (uint64_t{1} << 61) + 5);
  EXPECT_EQ(count.time_ns.Get(), (WideCounter::Value{1, 10}));
}

}  // namespace
}  // namespace tester
