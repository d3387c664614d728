// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/stamps/under_way.h"

#include <gtest/gtest.h>

#include "base/random_numbers.h"

namespace tester {
namespace {

using Entered = UnderWay::Entered;
using Back = UnderWay::Back;

constexpr uint64_t kTimeout = 1000;
constexpr uint64_t kOne = 0x123456789abcdef1;
constexpr uint64_t kOther = 0xfedcba9876543211;

TEST(UnderWay, KnowsAPacketAgain) {
  UnderWay table(64, kTimeout);
  EXPECT_EQ(table.Enter(kOne, 7, 100), Entered::kNew);
  EXPECT_EQ(table.Enter(kOther, 8, 101), Entered::kNew);
  EXPECT_EQ(table.Leave(kOther + 2, 150).back, Back::kUnknown);
  const auto found = table.Leave(kOne, 150);
  EXPECT_EQ(found.back, Back::kFound);
  EXPECT_EQ(found.flow, 7U);
  EXPECT_EQ(found.sent_ns, 100U);
  EXPECT_EQ(table.Leave(kOne, 160).back, Back::kDuplicated);
  EXPECT_EQ(table.Leave(kOther, 160).sent_ns, 101U);
}

TEST(UnderWay, DoesNotGuessBetweenPacketsThatAreAlike) {
  UnderWay table(64, kTimeout);
  EXPECT_EQ(table.Enter(kOne, 7, 100), Entered::kNew);
  EXPECT_EQ(table.Enter(kOne, 7, 110), Entered::kAgain);
  EXPECT_EQ(table.Leave(kOne, 150).back, Back::kAmbiguous);
  EXPECT_EQ(table.Leave(kOne, 151).flow, 7U) << "both are of one flow";
  EXPECT_EQ(table.Leave(kOne, 152).back, Back::kDuplicated);
  EXPECT_EQ(table.Enter(kOne, 9, 200), Entered::kNew) << "both are back";
  EXPECT_EQ(table.Enter(kOne, 7, 201), Entered::kAgain);
  EXPECT_EQ(table.Leave(kOne, 210).flow, UnderWay::kNoFlow) << "they are of two flows";
}

TEST(UnderWay, GivesAPacketUpAfterATime) {
  UnderWay table(64, kTimeout);
  table.Enter(kOne, 7, 100);
  EXPECT_EQ(table.Leave(kOne, 1101).back, Back::kLate);
  table.Enter(kOther, 7, 100);
  EXPECT_EQ(table.Enter(kOther, 7, 1101), Entered::kNew) << "the one before is lost";
  EXPECT_EQ(table.Leave(kOther, 1110).back, Back::kFound);
}

TEST(UnderWay, ForgetsWhatWasWithdrawn) {
  UnderWay table(64, kTimeout);
  table.Enter(kOne, 7, 100);
  table.Withdraw(kOne);
  EXPECT_EQ(table.Leave(kOne, 110).back, Back::kUnknown);
  table.Withdraw(kOne);
}

TEST(UnderWay, HasRoomForNearlyAsManyAsItSays) {
  constexpr uint32_t kPackets = 1 << 16;
  UnderWay table(kPackets, kTimeout);
  const auto key = [](uint32_t i) { return RandomNumber(1, i) | 1; };
  uint32_t full = 0;
  for (uint32_t i = 0; i < kPackets; ++i) full += table.Enter(key(i), i, 100) == Entered::kFull;
  EXPECT_LE(full, kPackets / 100) << "both buckets of a key are full now and then";
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < kPackets; ++i) {
    const auto found = table.Leave(key(i), 200);
    wrong += found.back == Back::kFound && found.flow != i;
  }
  EXPECT_EQ(wrong, 0U);
  for (uint32_t i = 0; i < kPackets; ++i) table.Enter(key(i + kPackets), i, 300);
  EXPECT_EQ(table.Leave(key(kPackets), 310).back, Back::kFound) << "what is back leaves its place";
}

TEST(UnderWay, SaysThatItIsFull) {
  UnderWay table(64, kTimeout);
  uint32_t full = 0;
  for (uint32_t i = 0; i < 1000; ++i) {
    full += table.Enter(RandomNumber(1, i) | 1, i, 100) == Entered::kFull;
  }
  EXPECT_GE(full, 1000U - 128U);
  EXPECT_NE(table.Enter(RandomNumber(1, 5000) | 1, 1, 5000), Entered::kFull) << "all are given up";
}

}  // namespace
}  // namespace tester
