// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "snapshot/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

namespace tester {
namespace {

void FillStream(const StreamTx& tx, const StreamRx& rx, StreamParts parts,
                v1::StreamCounters& out) {
  FillStreamReceived({&rx}, parts, out);
  FillStreamSent(tx, parts, out);
}

TEST(Merge, NothingIsZero) {
  v1::StreamCounters out;
  FillStream(StreamTx{}, StreamRx{}, {.versions = false}, out);
  EXPECT_EQ(out.latency().ByteSizeLong(), 0U) << out.ShortDebugString();
  EXPECT_EQ(out.order().ShortDebugString(),
            "next_sequence: 0 duplicated: 0 late: 0 extent_sum: 0 extent_max: 0 behind: 0");
  EXPECT_EQ(out.variation().ByteSizeLong(), 0U) << out.ShortDebugString();
  EXPECT_EQ(out.first_rx_ns(), 0U);
  EXPECT_FALSE(out.sending());
  EXPECT_EQ(out.versions_size(), 0);
}

TEST(Merge, LatencyIsThatOfTheBuckets) {
  StreamRx rx;
  for (const uint64_t latency_ns : {700U, 900U, 300U}) rx.latency.Add(latency_ns);
  v1::StreamCounters out;
  FillStream(StreamTx{}, rx, {.versions = false}, out);
  EXPECT_EQ(out.latency().count(), 3U);
  EXPECT_EQ(out.latency().sum_ns(), 1900U);
  EXPECT_EQ(out.latency().min_ns(), 300U);
  EXPECT_EQ(out.latency().max_ns(), 900U);
  ASSERT_EQ(out.latency().buckets_size(), 3);
  EXPECT_EQ(out.latency().buckets(0).index(), 300U);
  EXPECT_EQ(out.latency().buckets(2).index(), 900U);
}

TEST(Merge, WithoutBucketsTheFiguresOfArrivalsAreTheSame) {
  StreamTx tx;
  StreamRx rx;
  for (const uint64_t ns : {700U, 900U, 300'000U}) {
    tx.departures.Add(ns, 0, 0);
    rx.latency.Add(ns);
    rx.packets.Add(1);
  }
  for (const uint64_t sequence : {0U, 2U, 1U}) rx.order.Add(sequence);
  v1::StreamCounters whole;
  FillStream(tx, rx, {.versions = false}, whole);
  whole.clear_departures();
  whole.mutable_latency()->clear_buckets();
  whole.mutable_order()->clear_extents();
  v1::StreamCounters out;
  FillStream(tx, rx, {.versions = false, .buckets = false}, out);
  EXPECT_EQ(out.latency().count(), 3U);
  EXPECT_EQ(out.order().behind(), 1U);
  EXPECT_EQ(out.SerializeAsString(), whole.SerializeAsString());
}

TEST(Merge, OrderTellsOfLateFramesAsOfOvertakenOnes) {
  StreamRx rx;
  for (const uint64_t sequence : {0U, 5U, 3U, 3U, 100'000U, 4U}) rx.order.Add(sequence);
  v1::StreamCounters out;
  FillStream(StreamTx{}, rx, {.versions = false}, out);
  EXPECT_EQ(out.rx_out_of_order(), 2U) << "3 and 4";
  EXPECT_EQ(out.order().next_sequence(), 100'001U);
  EXPECT_EQ(out.order().duplicated(), 1U);
  EXPECT_EQ(out.order().late(), 1U);
  EXPECT_EQ(out.order().behind(), 3U) << "3 twice and 4";
  EXPECT_EQ(out.order().extent_sum(), 1U);
  ASSERT_EQ(out.order().extents_size(), 1);
  EXPECT_EQ(out.order().extents(0).index(), 1U);
}

// Counts a frame as a worker does, without what needs the frame itself.
void Receive(StreamRx& rx, uint64_t sequence, uint64_t now_ns, uint64_t latency_ns) {
  const uint64_t next = rx.order.next();
  const ArrivalPlace place = rx.order.Add(sequence);
  if (place == ArrivalPlace::kSkipping) {
    rx.outages.Add(rx.last_ns.Get(), now_ns, sequence, sequence - next);
  }
  rx.packets.Add(1);
  rx.bytes.Add(64 + sequence % 7);
  if (rx.first_ns.Get() == 0) rx.first_ns.Set(now_ns);
  rx.last_ns.Set(now_ns);
  rx.latency.Add(latency_ns);
  rx.versions[sequence % 2].Add(1, 64, now_ns);
  if (place < ArrivalPlace::kDuplicate) rx.variation.Add(sequence, latency_ns);
}

// A frame of flow `sequence` modulo 5; a flow arrives on one queue. Some frames are lost, some come
// twice, some are overtaken, and some are damaged.
TEST(Merge, ShardsOfAStreamAreAsOneAndHaveNoOrder) {
  constexpr uint64_t kFlows = 5;
  StreamTx tx;
  StreamRx one;
  std::array<StreamRx, 3> shards;
  uint64_t random = 1;
  for (uint64_t number = 0; number < 20'000; ++number) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    const uint64_t dice = random >> 40U;
    if (dice % 10 == 0) continue;
    const uint64_t sequence = number - std::min(number, dice % 17 == 0 ? dice % 40 : 0);
    for (StreamRx* const rx : {&one, &shards[sequence % kFlows % shards.size()]}) {
      Receive(*rx, sequence, 1000 + number * 10, dice % 100'000);
      if (dice % 13 == 0) rx->corrupted.Add(1);
      if (dice % 19 == 0) rx->header_faults.Set(rx->header_faults.Get() | 1U << dice % 3);
    }
  }
  v1::StreamCounters expected;
  v1::StreamCounters merged;
  FillStream(tx, one, {.versions = true}, expected);
  FillStreamReceived({&shards[0], &shards[1], &shards[2]}, {.versions = true}, merged);
  FillStreamSent(tx, {.versions = true}, merged);
  EXPECT_GT(expected.order().duplicated(), 100U);
  EXPECT_GT(expected.rx_out_of_order(), 100U);
  expected.clear_rx_out_of_order();
  expected.clear_outages();
  expected.clear_variation();
  expected.clear_rx_lost_crowded();
  const uint64_t next = expected.order().next_sequence();
  const uint64_t duplicated = expected.order().duplicated();
  expected.clear_order();
  expected.mutable_order()->set_next_sequence(next);
  expected.mutable_order()->set_duplicated(duplicated);
  expected.mutable_order()->set_late(0);
  EXPECT_EQ(merged.SerializeAsString(), expected.SerializeAsString())
      << merged.ShortDebugString() << "\n"
      << expected.ShortDebugString();
}

TEST(Merge, WhereOneWorkerHasReceivedAllTheOrderIsKnown) {
  StreamRx one;
  StreamRx none;
  for (const uint64_t sequence : {0U, 3U, 1U, 1U}) Receive(one, sequence, 5 + sequence, 9);
  none.corrupted.Add(2);
  v1::StreamCounters expected;
  v1::StreamCounters merged;
  FillStreamReceived({&one}, {.versions = false}, expected);
  FillStreamReceived({&none, &one}, {.versions = false}, merged);
  expected.set_rx_corrupted(2);
  EXPECT_EQ(merged.rx_out_of_order(), 1U);
  EXPECT_EQ(merged.SerializeAsString(), expected.SerializeAsString());
}

TEST(Merge, GapsOfQueuesAreTogetherThoseOfThePort) {
  PollGaps first;
  PollGaps second;
  first.Add(2'000'000);
  second.Add(5'000'000);
  second.Add(2'000'000);
  v1::PollGaps out;
  FillGaps({&first, &second}, out);
  EXPECT_EQ(out.worst_ns(), 5'000'000U);
  EXPECT_EQ(out.late(), 3U);
  ASSERT_EQ(out.buckets_size(), 2);
  EXPECT_EQ(out.buckets(0).count(), 2U);
}

TEST(Merge, CountersOfQueuesAreTogetherThoseOfThePort) {
  PortCounters first;
  PortCounters second;
  first.CountSent(2, 128, 1);
  first.CountSize(64);
  first.rx_icmp_errors.Add({.ip_version = 4, .type = 3, .code = 1});
  first.rx_pause.Add(1);
  second.CountSent(3, 300, 0);
  second.rx_versions[1].Add(4, 256);
  second.rx_icmp_errors.Add({.ip_version = 4, .type = 3, .code = 1});
  PortCounters sum;
  for (const PortCounters* const queue : {&first, &second}) sum.Merge(*queue);
  v1::PortCounters out;
  FillPortReceived(sum, out);
  FillPortSent(sum, out);
  EXPECT_EQ(out.tx_packets(), 5U);
  EXPECT_EQ(out.tx_bytes(), 428U);
  EXPECT_EQ(out.tx_refused(), 1U);
  EXPECT_EQ(out.rx_up_to_64(), 1U);
  EXPECT_EQ(out.versions(1).rx_bytes(), 256U);
  ASSERT_EQ(out.rx_icmp_errors_size(), 1);
  EXPECT_EQ(out.rx_icmp_errors(0).frames(), 2U);
  EXPECT_EQ(sum.rx_pause.Get(), 1U);
}

TEST(Merge, VersionsOfBothDirectionsAreBesideEachOther) {
  StreamTx tx;
  StreamRx rx;
  tx.flips.Ask();
  tx.versions[1].Add(4, 256, UINT64_MAX / 2);
  rx.versions[0].Add(1, 64, 10);
  v1::StreamCounters out;
  FillStream(tx, rx, {.versions = true}, out);
  EXPECT_EQ(out.open_version(), 1U);
  ASSERT_EQ(out.versions_size(), 2);
  EXPECT_EQ(out.versions(0).rx_packets(), 1U);
  EXPECT_EQ(out.versions(0).rx_time_ns().low(), 10U);
  EXPECT_EQ(out.versions(1).tx_packets(), 4U);
  EXPECT_EQ(out.versions(1).tx_bytes(), 256U);
}

// A worker that sends and receives a frame in the middle of each snapshot.
TEST(Merge, WhatArrivesMeanwhileWasSent) {
  StreamTx tx;
  StreamRx rx;
  PortCounters sender;
  PortCounters receiver;
  tx.has_version = true;
  v1::StreamCounters stream;
  v1::PortCounters sent;
  v1::PortCounters received;
  FillPortReceived(sender, sent);
  FillPortReceived(receiver, received);
  FillStreamReceived({&rx}, {.versions = true}, stream);
  tx.CountSent(1, 64, 0, 10);
  sender.tx_packets.Add(1);
  sender.tx_versions[0].Add(1, 64);
  rx.packets.Add(1);
  rx.versions[0].Add(1, 64, 20);
  receiver.rx_packets.Add(1);
  receiver.rx_versions[0].Add(1, 64);
  FillStreamSent(tx, {.versions = true}, stream);
  FillPortSent(sender, sent);
  FillPortSent(receiver, received);
  EXPECT_EQ(stream.tx_packets(), 1U);
  EXPECT_EQ(stream.rx_packets(), 0U);
  EXPECT_EQ(stream.versions(0).tx_packets(), 1U);
  EXPECT_EQ(stream.versions(0).rx_packets(), 0U);
  EXPECT_EQ(sent.versions(0).tx_packets(), 1U);
  EXPECT_EQ(received.versions(0).rx_packets(), 0U);
  EXPECT_EQ(received.rx_packets(), 0U);
}

TEST(Merge, NoReaderSeesMoreReceivedThanSent) {
  StreamTx tx;
  StreamRx rx;
  tx.has_version = true;
  std::atomic<bool> ended{false};
  std::thread worker([&] {
    while (!ended.load(std::memory_order_relaxed)) {
      tx.CountSent(1, 64, 0, 10);
      rx.packets.Add(1);
      rx.latency.Add(10);
      rx.versions[0].Add(1, 64, 20);
    }
  });
  for (int i = 0; i < 2000; ++i) {
    v1::StreamCounters out;
    FillStreamReceived({&rx}, {.versions = true}, out);
    FillStreamSent(tx, {.versions = true}, out);
    ASSERT_LE(out.latency().count(), out.rx_packets());
    ASSERT_LE(out.rx_packets(), out.tx_packets());
    ASSERT_LE(out.versions(0).rx_packets(), out.versions(0).tx_packets());
  }
  ended = true;
  worker.join();
}

TEST(Merge, LostFramesBehindAPauseCountUpToTheLastThatLeft) {
  StreamTx tx;
  StreamRx rx;
  tx.crowds.Note(2, 4, 1'000'000, 0);
  tx.CountSent(6, 384, 0, 1'000'000);
  rx.order.Add(0);
  rx.order.Add(3);
  rx.lost_crowded.Skip(tx.crowds, 1, 3);
  v1::StreamCounters out;
  FillStream(tx, rx, {.versions = false}, out);
  EXPECT_EQ(out.rx_lost_crowded(), 3U) << "frames 2, 4 and 5; frame 1 left in time";
  v1::StreamCounters blind;
  FillStream(tx, rx, {.versions = false, .signatures = false}, blind);
  EXPECT_FALSE(blind.has_rx_lost_crowded());
  rx.lost_crowded.forgotten.Add(1);
  v1::StreamCounters unknown;
  FillStream(tx, rx, {.versions = false}, unknown);
  EXPECT_FALSE(unknown.has_rx_lost_crowded());
}

TEST(Merge, FlowsComeInColumns) {
  Flows flows(5);
  for (uint64_t sequence = 0; sequence < 7; ++sequence) flows.Add(sequence, 64, sequence);
  Counter sent;
  sent.Set(8);
  v1::FlowCounters out;
  FillFlows(flows, 1, 3, sent, out);
  EXPECT_EQ(out.first(), 1U);
  EXPECT_THAT(out.tx_packets(), testing::ElementsAre(2, 2, 1));
  EXPECT_THAT(out.rx_packets(), testing::ElementsAre(2, 1, 1));
  EXPECT_THAT(out.rx_bytes(), testing::ElementsAre(128, 64, 64));
  EXPECT_THAT(out.latency_sum_ns(), testing::ElementsAre(7, 2, 3));
  EXPECT_THAT(out.latency_min_ns(), testing::ElementsAre(1, 2, 3));
  EXPECT_THAT(out.latency_max_ns(), testing::ElementsAre(6, 2, 3));
}

}  // namespace
}  // namespace tester
