// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "stats/outages.h"

#include <gtest/gtest.h>

namespace tester {
namespace {

TEST(Outages, CountTheLongOnesAndKnowTheLongest) {
  Outages outages;
  outages.SetLeast(1000);
  outages.Add(100, 1099, 8, 5);
  EXPECT_EQ(outages.count.Get(), 0U);
  EXPECT_EQ(outages.longest_ns.Get(), 999U) << "even if it is short";
  EXPECT_EQ(outages.last_sequence.Get(), 8U) << "even if it is short";
  outages.Add(5000, 6000, 30, 7);
  outages.Add(9000, 19000, 60, 11);
  outages.Add(20000, 30000, 77, 2);
  EXPECT_EQ(outages.count.Get(), 3U);
  EXPECT_EQ(outages.total_ns.Get(), 21000U);
  EXPECT_EQ(outages.total_lost.Get(), 20U);
  EXPECT_EQ(outages.longest_ns.Get(), 10000U);
  EXPECT_EQ(outages.longest_start_ns.Get(), 9000U) << "the first of two as long";
  EXPECT_EQ(outages.longest_lost.Get(), 11U);
  EXPECT_EQ(outages.last_sequence.Get(), 77U) << "frame 76 is the last one that is missing";
}

}  // namespace
}  // namespace tester
