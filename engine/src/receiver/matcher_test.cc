// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "receiver/matcher.h"

#include <gtest/gtest.h>

#include <vector>

namespace tester {
namespace {

using Bytes = std::vector<uint8_t>;

const uint16_t* PortOf(const Expected* found) { return found ? &found->rx_port : nullptr; }

TEST(Matcher, FindsTheOneWhoseBitsAreThere) {
  Matcher matcher;
  EXPECT_TRUE(matcher.empty());
  matcher.Add({{1, 0xf0, 0x50}, {3, 0xff, 7}}, {.rx_port = 1});
  matcher.Add({{1, 0xf0, 0x60}, {3, 0xff, 7}}, {.rx_port = 2});
  matcher.Add({{0, 0xff, 9}, {1, 0xf0, 0x70}}, {.rx_port = 3});
  EXPECT_FALSE(matcher.empty());
  EXPECT_EQ(*PortOf(matcher.Find(Bytes{0, 0x5a, 0, 7})), 1);
  EXPECT_EQ(*PortOf(matcher.Find(Bytes{0, 0x6b, 1, 7, 8})), 2);
  EXPECT_EQ(*PortOf(matcher.Find(Bytes{9, 0x7c})), 3);
  EXPECT_EQ(matcher.Find(Bytes{0, 0x5a, 0, 8}), nullptr);
  EXPECT_EQ(matcher.Find(Bytes{0, 0x5a, 0}), nullptr) << "too short";
  EXPECT_EQ(matcher.Find(Bytes{}), nullptr);
}

TEST(Exclude, TellsWhetherAFrameCanBeBoth) {
  EXPECT_TRUE(Exclude({{1, 0xff, 1}}, {{1, 0xff, 2}}));
  EXPECT_FALSE(Exclude({{1, 0xff, 1}}, {{1, 0xff, 1}}));
  EXPECT_FALSE(Exclude({{1, 0xff, 1}}, {{2, 0xff, 2}})) << "other bytes";
  EXPECT_FALSE(Exclude({{1, 0xf0, 0x10}}, {{1, 0x0f, 2}})) << "other bits";
  EXPECT_TRUE(Exclude({{1, 0xff, 1}, {5, 0x80, 0}}, {{2, 0xff, 2}, {5, 0xc0, 0x80}}));
}

}  // namespace
}  // namespace tester
