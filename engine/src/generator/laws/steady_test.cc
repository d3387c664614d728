// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/laws/steady.h"

#include <gtest/gtest.h>

#include "generator/laws/analytic_testing.h"

namespace tester {
namespace {

constexpr Rate kEveryNanosecond = {1, 1};

std::vector<uint64_t> Times(const Steady& steady, uint64_t frames) {
  std::vector<uint64_t> times;
  for (uint64_t k = 0; k < frames; ++k) times.push_back(steady.DueNs(k));
  return times;
}

TEST(Steady, WithoutStagesIsTheClock) {
  const Steady steady({.packets = 3, .nanoseconds = 7});
  EXPECT_EQ(Times(steady, 5), (std::vector<uint64_t>{0, 3, 5, 7, 10}));
}

// semantics.md: burst scale 4 and peak 2.5 x the average.
TEST(Steady, PassesFourAndSkipsSix) {
  const Steady steady(kEveryNanosecond, {{.passes = 4, .skips = 6}});
  EXPECT_EQ(Times(steady, 9), (std::vector<uint64_t>{0, 1, 2, 3, 10, 11, 12, 13, 20}));
  EXPECT_EQ(steady.DueBefore(1'000'000), 400'000U);
}

// semantics.md: a meter of 10.1 Gbps, n = 100, m = 1.
TEST(Steady, SkipsOneOfAHundredAndOne) {
  const Steady steady(kEveryNanosecond, {{.passes = 100, .skips = 1}});
  EXPECT_EQ(steady.DueBefore(101'000'000), 100'000'000U);
  EXPECT_EQ(steady.DueNs(100), 101U);
}

TEST(Steady, StagesAreACascade) {
  // 0 1 2 . . 5 6 7 . . pass the first stage; the second passes two of them and skips one.
  const Steady steady(kEveryNanosecond, {{.passes = 3, .skips = 2}, {.passes = 2, .skips = 1}});
  EXPECT_EQ(Times(steady, 6), (std::vector<uint64_t>{0, 1, 5, 6, 10, 11}));
  const Steady swapped(kEveryNanosecond, {{.passes = 2, .skips = 1}, {.passes = 3, .skips = 2}});
  EXPECT_EQ(Times(swapped, 6), (std::vector<uint64_t>{0, 1, 3, 7, 9, 10}));
}

TEST(Steady, CountsAndTimesAgree) {
  ExpectCountsAndTimesAgree(Steady({.packets = 3, .nanoseconds = 7},
                                   {{.passes = 5, .skips = 3}, {.passes = 2, .skips = 1}}));
  ExpectCountsAndTimesAgree(Steady({.packets = 1, .nanoseconds = 1}, {{.passes = 1, .skips = 99}}));
}

TEST(Steady, HoldsWhereProductsNeed128Bits) {
  const Stage most{.passes = 1, .skips = (uint64_t{1} << 32) - 2};
  const Steady steady(kEveryNanosecond, std::vector<Stage>(8, most));
  EXPECT_EQ(steady.DueNs(0), 0U);
  EXPECT_EQ(steady.DueNs(1), UINT64_MAX) << "saturates";
  EXPECT_EQ(steady.DueBy(UINT64_MAX), 1U);
}

}  // namespace
}  // namespace tester
