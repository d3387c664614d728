// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "stats/variation.h"

#include <gtest/gtest.h>

namespace tester {
namespace {

TEST(Variation, OneFrameVariesFromNothing) {
  Variation variation;
  variation.Add(0, 500);
  EXPECT_EQ(variation.jitter_16.Get(), 0U);
  EXPECT_EQ(variation.ipdv_count.Get(), 0U);
}

// RFC 3550 appendix A.8, by hand.
TEST(Variation, JitterIsTheOneOfTheRfc) {
  Variation variation;
  variation.Add(0, 1000);
  variation.Add(1, 1160);
  EXPECT_EQ(variation.jitter_16.Get(), 160U) << "10 ns";
  variation.Add(2, 1000);
  EXPECT_EQ(variation.jitter_16.Get(), 160U + 160 - 10);
  for (uint64_t sequence = 3; sequence < 1000; ++sequence) {
    variation.Add(sequence, sequence % 2 == 0 ? 1000 : 1160);
  }
  EXPECT_NEAR(static_cast<double>(variation.jitter_16.Get()) / 16, 160, 1) << "comes to |D|";
}

TEST(Variation, DelayVariationIsOfNeighboursInSequence) {
  Variation variation;
  variation.Add(0, 100);
  variation.Add(1, 130);  // +30
  variation.Add(3, 900);  // 2 is missing
  variation.Add(4, 850);  // -50
  variation.Add(2, 100);  // out of order
  variation.Add(5, 400);  // 4 did not come just before
  EXPECT_EQ(variation.ipdv_count.Get(), 2U);
  EXPECT_EQ(variation.ipdv_sum_ns.Get(), 80U);
  EXPECT_EQ(variation.ipdv_min(), -50);
  EXPECT_EQ(variation.ipdv_max(), 30);
}

TEST(Variation, TheFirstFrameThatArrivesMayBeAnyOne) {
  Variation variation;
  variation.Add(1, 100);
  variation.Add(2, 100);
  EXPECT_EQ(variation.ipdv_count.Get(), 1U);
  EXPECT_EQ(variation.ipdv_min(), 0);
  EXPECT_EQ(variation.ipdv_max(), 0);
}

}  // namespace
}  // namespace tester
