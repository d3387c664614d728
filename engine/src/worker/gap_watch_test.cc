// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/gap_watch.h"

#include <gtest/gtest.h>

namespace tester {
namespace {

constexpr uint64_t kMs = 1'000'000;

struct Started {
  explicit Started(uint64_t start_ns) {
    tx->sending = true;
    start->start_ns = start_ns;
    start->streams.push_back(tx);
    start->ports.resize(2);
    start->ports[1] = std::make_unique<PollGaps>();
  }
  const PollGaps& gaps() const { return *start->ports[1]; }

  std::shared_ptr<StreamTx> tx = std::make_shared<StreamTx>();
  std::shared_ptr<JobStart> start = std::make_shared<JobStart>();
};

TEST(GapWatch, KeepsTheWorstOfEachJobSinceItsStart) {
  const Started first(0);
  GapWatch alone(1);
  alone.Add(first.start, false);
  alone.See(100 * kMs, 60 * kMs);
  const Started second(150 * kMs);
  GapWatch both(1);  // of the next program
  both.Add(first.start, false);
  both.Add(second.start, false);
  both.See(200 * kMs, 1000);
  both.See(201 * kMs, 1 * kMs + 1);
  EXPECT_EQ(first.gaps().worst_ns.Get(), 60 * kMs);
  EXPECT_EQ(first.gaps().late.Get(), 2U);
  EXPECT_EQ(second.gaps().worst_ns.Get(), 1 * kMs + 1);
  EXPECT_EQ(second.gaps().late.Get(), 1U);
  EXPECT_EQ(second.gaps().lengths.Count(Histogram::Index(1 * kMs + 1)), 1U);
}

TEST(GapWatch, WhatWasBeforeTheStartIsNotTheJobs) {
  const Started job(100 * kMs);
  GapWatch watch(1);
  watch.Add(job.start, false);
  watch.See(99 * kMs, 50 * kMs);
  EXPECT_EQ(job.gaps().worst_ns.Get(), 0U);
  watch.See(103 * kMs, 50 * kMs);
  EXPECT_EQ(job.gaps().worst_ns.Get(), 3 * kMs);
}

TEST(GapWatch, EndsWithTheLastFramesThatMayArrive) {
  const Started job(0);
  GapWatch watch(1);
  watch.Add(job.start, false);
  job.tx->packets.Add(1);
  job.tx->last_ns.Set(10 * kMs);
  job.tx->sending = false;
  watch.See(5'000 * kMs, 3'000 * kMs);
  EXPECT_EQ(job.gaps().worst_ns.Get(), 3'000 * kMs) << "it was draining when the gap began";
  watch.See(9'000 * kMs, 4'000 * kMs);
  EXPECT_EQ(job.gaps().worst_ns.Get(), 3'000 * kMs) << "it was over";
}

TEST(GapWatch, AResponderIsThereUntilItIsStopped) {
  const Started job(0);
  job.tx->sending = false;
  GapWatch watch(1);
  watch.Add(job.start, true);
  watch.See(9'000 * kMs, 70 * kMs);
  EXPECT_EQ(job.gaps().worst_ns.Get(), 70 * kMs);
}

TEST(GapWatch, WithoutJobsNothingIsNotable) {
  GapWatch watch(1);
  watch.See(9'000 * kMs, 70 * kMs);
}

}  // namespace
}  // namespace tester
