// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "stats/flows.h"

#include <gtest/gtest.h>

#include <vector>

namespace tester {
namespace {

TEST(Flows, AFrameBelongsToItsNumberModuloTheirs) {
  Flows flows(3);
  for (const uint64_t sequence : {0U, 1U, 2U, 3U, 4U, 8U, 7U, 6U, 9U}) {
    flows.Add(sequence, 64, 100 + sequence);
  }
  const std::vector<uint64_t> packets = {4, 3, 2};  // 0 3 6 9, 1 4 7, 2 8
  for (uint32_t flow = 0; flow < 3; ++flow) EXPECT_EQ(flows.Read(flow).packets, packets[flow]);
  const Flows::Counts last = flows.Read(2);
  EXPECT_EQ(last.bytes, 128U);
  EXPECT_EQ(last.latency_sum_ns, 210U);
  EXPECT_EQ(last.latency_min_ns, 102U);
  EXPECT_EQ(last.latency_max_ns, 108U);
}

TEST(Flows, ALatencyOfNothingIsAMinimumToo) {
  Flows flows(1);
  flows.Add(0, 64, 0);
  flows.Add(1, 64, 7);
  EXPECT_EQ(flows.Read(0).latency_min_ns, 0U);
  EXPECT_EQ(flows.Read(0).latency_max_ns, 7U);
}

TEST(Flows, WhatWasSentOfEachIsArithmetic) {
  const Flows flows(1'000'000);
  for (const uint64_t sent : {uint64_t{0}, uint64_t{1}, uint64_t{999'999}, uint64_t{2'500'000}}) {
    uint64_t sum = 0;
    for (uint32_t flow = 0; flow < flows.count(); ++flow) sum += flows.Share(flow, sent);
    EXPECT_EQ(sum, sent);
  }
  EXPECT_EQ(flows.Share(499'999, 2'500'000), 3U);
  EXPECT_EQ(flows.Share(500'000, 2'500'000), 2U);
}

}  // namespace
}  // namespace tester
