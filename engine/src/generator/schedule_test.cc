// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/schedule.h"

#include <gtest/gtest.h>

namespace tester {
namespace {

constexpr uint64_t kStart = 1'000'000;
constexpr uint64_t kSecond = 1'000'000'000;
constexpr Rate kEveryMicrosecond = {1, 1000};

TEST(Schedule, NothingIsDueBeforeTheStart) {
  const Schedule schedule(kEveryMicrosecond, kStart, 0, 0);
  EXPECT_EQ(schedule.Due(kStart - 1), 0U);
  EXPECT_EQ(schedule.Due(kStart), 1U);
  EXPECT_EQ(schedule.Due(kStart + 999), 1U);
  EXPECT_EQ(schedule.Due(kStart + 1000), 2U);
  EXPECT_EQ(schedule.NextEventNs(0), kStart);
  EXPECT_FALSE(schedule.Over(UINT64_MAX - 1, 0, 1));
}

TEST(Schedule, DurationIsHalfOpen) {
  const Schedule schedule(kEveryMicrosecond, kStart, kSecond, 0);
  EXPECT_EQ(schedule.Due(kStart + kSecond - 1), 1'000'000U);
  EXPECT_EQ(schedule.Due(kStart + kSecond), 1'000'000U) << "the frame due at the end is not in it";
  EXPECT_EQ(schedule.DueNs(999'999), kStart + kSecond - 1000);
  EXPECT_EQ(schedule.DueNs(1'000'000), UINT64_MAX);
}

TEST(Schedule, AFrameDueBetweenTheLastTwoNanosecondsIsIn) {
  const Schedule schedule({.packets = 3, .nanoseconds = 7}, kStart, 3, 0);  // at 0 and 2.33
  EXPECT_EQ(schedule.Due(kStart + 2), 1U);
  EXPECT_EQ(schedule.Due(kStart + 1000), 2U);
  EXPECT_EQ(schedule.DueNs(1), kStart + 3);
}

TEST(Schedule, IsOverWhenTimeIsUpAndAllIsSent) {
  const Schedule schedule(kEveryMicrosecond, kStart, kSecond, 0);
  EXPECT_FALSE(schedule.Over(kStart + kSecond - 1, 1'000'000, 1'000'000));
  EXPECT_TRUE(schedule.Over(kStart + kSecond, 1'000'000, 1'000'000));
  EXPECT_FALSE(schedule.Over(kStart + kSecond, 999'999, 1'000'000));
  EXPECT_EQ(schedule.NextEventNs(1'000'000), kStart + kSecond) << "to find out that it is over";
}

TEST(Schedule, GivesUpASecondAfterTheEndOrATenthOfIt) {
  const Schedule brief(kEveryMicrosecond, kStart, kSecond, 0);
  EXPECT_FALSE(brief.Over(kStart + 2 * kSecond - 1, 5, 1'000'000));
  EXPECT_TRUE(brief.Over(kStart + 2 * kSecond, 5, 1'000'000));
  const Schedule lengthy(kEveryMicrosecond, kStart, 60 * kSecond, 0);
  EXPECT_FALSE(lengthy.Over(kStart + 66 * kSecond - 1, 5, 60'000'000));
  EXPECT_TRUE(lengthy.Over(kStart + 66 * kSecond, 5, 60'000'000));
}

TEST(Schedule, CountEndsIt) {
  const Schedule schedule(kEveryMicrosecond, kStart, 0, 10);
  EXPECT_EQ(schedule.Due(UINT64_MAX - 1), 10U);
  EXPECT_FALSE(schedule.Over(kStart + 9000, 9, 10));
  EXPECT_TRUE(schedule.Over(kStart + 9000, 10, 10));
  EXPECT_TRUE(schedule.Over(kStart + 9000 + kSecond, 9, 10)) << "gives up";
}

TEST(Schedule, TheSmallerOfBothLimitsHolds) {
  EXPECT_EQ(Schedule(kEveryMicrosecond, kStart, 5000, 3).Due(UINT64_MAX - 1), 3U);
  EXPECT_EQ(Schedule(kEveryMicrosecond, kStart, 2000, 3).Due(UINT64_MAX - 1), 2U);
}

TEST(Schedule, UpdateGoesOnWhereTheOldRateLeavesOff) {
  const uint64_t change = kStart + 10'500;
  const Schedule schedule =
      Schedule(kEveryMicrosecond, kStart, 0, 0).Updated({.packets = 1, .nanoseconds = 100}, change);
  EXPECT_EQ(schedule.Due(change - 1), 11U);
  EXPECT_EQ(schedule.DueNs(10), kStart + 10'000) << "old frames keep their times";
  EXPECT_EQ(schedule.DueNs(11), change);
  EXPECT_EQ(schedule.DueNs(12), change + 100);
  EXPECT_EQ(schedule.Due(change + 1000), 22U);
}

TEST(Schedule, UpdatesFollowEachOther) {
  const Schedule first(kEveryMicrosecond, kStart, 0, 0);
  const Schedule second = first.Updated({.packets = 1, .nanoseconds = 500}, kStart + 4000);
  EXPECT_EQ(second.ChangeNs(kStart + 1000), kStart + 4000) << "not before the last change";
  const Schedule third = second.Updated({.packets = 1, .nanoseconds = 2000}, kStart + 6000);
  // 4 frames at 1 us, 4 at 500 ns, then every 2 us.
  EXPECT_EQ(third.Due(kStart + 5999), 8U);
  EXPECT_EQ(third.Due(kStart + 6000), 9U);
  EXPECT_EQ(third.Due(kStart + 8000), 10U);
}

TEST(Schedule, EndedAtKeepsWhatIsDueAndNoMore) {
  const Schedule ended = Schedule(kEveryMicrosecond, kStart, 0, 0).EndedAt(kStart + 3000, 50'000);
  EXPECT_EQ(ended.Due(UINT64_MAX - 1), 3U);
  EXPECT_FALSE(ended.Over(kStart + 3000, 2, 3));
  EXPECT_TRUE(ended.Over(kStart + 3000, 3, 3));
  EXPECT_TRUE(ended.Over(kStart + 53'000, 2, 3)) << "gives up";
}

}  // namespace
}  // namespace tester
