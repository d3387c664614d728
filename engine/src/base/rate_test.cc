// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "base/rate.h"

#include <gtest/gtest.h>

namespace tester {
namespace {

TEST(Rate, FirstFrameIsDueAtOnce) {
  const Rate rate{.packets = 1, .nanoseconds = 1000};
  EXPECT_EQ(DueTime(rate, 0), 0U);
  EXPECT_EQ(DueBy(rate, 0), 1U);
  EXPECT_EQ(DueBefore(rate, 0), 0U);
}

TEST(Rate, CountsAndTimesAgree) {
  for (const Rate rate : {Rate{1, 1}, Rate{3, 7}, Rate{1, 672}, Rate{14'880'952, 1'000'000'000}}) {
    uint64_t due = 0;  // frames k with k * nanoseconds / packets <= t
    for (uint64_t t = 0; t < 3000; ++t) {
      const uint64_t before = due + (due * rate.nanoseconds < t * rate.packets ? 1 : 0);
      EXPECT_EQ(DueBefore(rate, t), before);
      while (due * rate.nanoseconds <= t * rate.packets) {
        EXPECT_EQ(DueTime(rate, due), t);
        ++due;
      }
      EXPECT_EQ(DueBy(rate, t), due);
    }
  }
}

// semantics.md, "exact virtual clock (rational, no drift)": a day of line rate to the packet.
TEST(Rate, DoesNotDrift) {
  const Rate line{.packets = 10'000'000'000, .nanoseconds = 672'000'000'000};  // 64 bytes, 10 Gbps
  const uint64_t day_ns = uint64_t{86'400} * 1'000'000'000;
  EXPECT_EQ(DueBefore(line, day_ns), (day_ns * 10 + 671) / 672);
}

TEST(Rate, HoldsWhereProductsNeed128Bits) {
  const Rate rate{.packets = UINT64_MAX - 1, .nanoseconds = UINT64_MAX};
  EXPECT_EQ(DueBy(rate, UINT64_MAX), UINT64_MAX);
  EXPECT_EQ(DueBefore(rate, uint64_t{1} << 63), uint64_t{1} << 63);
  EXPECT_EQ(DueTime({.packets = 1, .nanoseconds = UINT64_MAX}, 2), UINT64_MAX) << "saturates";
}

}  // namespace
}  // namespace tester
