// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "stats/histogram.h"

#include <gtest/gtest.h>

namespace tester {
namespace {

// counters.proto: bucket i holds v = i below 1024, else (512 + i % 512) << s <= v <
// (513 + i % 512) << s with s = i / 512 - 1.
TEST(Histogram, BucketsAreThoseOfTheContract) {
  for (uint32_t i = 0; i < Histogram::kBuckets; ++i) {
    uint64_t low = i;
    uint64_t end = uint64_t{i} + 1;
    if (i >= 1024) {
      const uint32_t s = i / 512 - 1;
      low = uint64_t{512 + i % 512} << s;
      end = uint64_t{513 + i % 512} << s;
    }
    ASSERT_EQ(Histogram::Index(low), i);
    ASSERT_EQ(Histogram::Index(end - 1), i);
    ASSERT_EQ(Histogram::Floor(i), low);
  }
}

TEST(Histogram, TheLastBucketHoldsTheGreatestValue) {
  EXPECT_EQ(Histogram::Index((uint64_t{1} << 48) - 1), Histogram::kBuckets - 1);
}

TEST(Histogram, Counts) {
  Histogram histogram;
  histogram.Add(5);
  histogram.Add(5);
  histogram.Add(1 << 20);
  EXPECT_EQ(histogram.Count(5), 2U);
  EXPECT_EQ(histogram.Count(Histogram::Index(1 << 20)), 1U);
  EXPECT_EQ(histogram.Count(6), 0U);
}

}  // namespace
}  // namespace tester
