// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "stats/merge.h"

#include <gtest/gtest.h>

namespace tester {
namespace {

std::vector<std::shared_ptr<StreamRx>> Parts(size_t count) {
  std::vector<std::shared_ptr<StreamRx>> parts(count);
  for (auto& part : parts) part = std::make_shared<StreamRx>();
  return parts;
}

TEST(Merge, NothingIsZero) {
  v1::StreamCounters out;
  FillStream(StreamTx{}, Parts(2), out);
  EXPECT_EQ(out.latency().count(), 0U);
  EXPECT_EQ(out.latency().min_ns(), 0U);
  EXPECT_EQ(out.first_rx_ns(), 0U);
  EXPECT_FALSE(out.sending());
}

TEST(Merge, AddsWhatWorkersHaveSeen) {
  const auto parts = Parts(3);  // the third has seen nothing
  const auto see = [](StreamRx& rx, uint64_t latency_ns, uint64_t at_ns) {
    rx.packets.Add(1);
    rx.bytes.Add(64);
    if (rx.first_ns.Get() == 0) rx.first_ns.Set(at_ns);
    rx.last_ns.Set(at_ns);
    rx.latency.Add(latency_ns);
  };
  see(*parts[0], 700, 1000);
  see(*parts[0], 900, 5000);
  see(*parts[1], 300, 2000);
  parts[1]->out_of_order.Add(2);
  parts[1]->misrouted.Add(1);
  v1::StreamCounters out;
  FillStream(StreamTx{}, parts, out);
  EXPECT_EQ(out.rx_packets(), 3U);
  EXPECT_EQ(out.rx_bytes(), 192U);
  EXPECT_EQ(out.first_rx_ns(), 1000U);
  EXPECT_EQ(out.last_rx_ns(), 5000U);
  EXPECT_EQ(out.rx_out_of_order(), 2U);
  EXPECT_EQ(out.rx_misrouted(), 1U);
  EXPECT_EQ(out.latency().count(), 3U);
  EXPECT_EQ(out.latency().sum_ns(), 1900U);
  EXPECT_EQ(out.latency().min_ns(), 300U);
  EXPECT_EQ(out.latency().max_ns(), 900U);
  ASSERT_EQ(out.latency().buckets_size(), 3);
  EXPECT_EQ(out.latency().buckets(0).index(), 300U);
  EXPECT_EQ(out.latency().buckets(2).index(), 900U);
}

}  // namespace
}  // namespace tester
