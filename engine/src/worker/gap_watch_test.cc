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
    start->ports[1].push_back(std::make_unique<PollGaps>());
  }
  const PollGaps& gaps() const { return *start->ports[1].front(); }
  // `answers`: a responder answers on the port, so every gap counts.
  GapWatch::Watched watched(bool answers = false) const {
    return {.owner = start,
            .gaps = start->ports[1].front().get(),
            .since_ns = start->start_ns,
            .job = answers ? nullptr : start.get()};
  }

  std::shared_ptr<StreamTx> tx = std::make_shared<StreamTx>();
  std::shared_ptr<JobStart> start = std::make_shared<JobStart>();
};

TEST(GapWatch, KeepsTheWorstOfEachJobSinceItsStart) {
  const Started first(0);
  GapWatch alone;
  alone.Add(first.watched());
  alone.See(100 * kMs, 60 * kMs);
  const Started second(150 * kMs);
  GapWatch both;  // of the next program
  both.Add(first.watched());
  both.Add(second.watched());
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
  GapWatch watch;
  watch.Add(job.watched());
  watch.See(99 * kMs, 50 * kMs);
  EXPECT_EQ(job.gaps().worst_ns.Get(), 0U);
  watch.See(103 * kMs, 50 * kMs);
  EXPECT_EQ(job.gaps().worst_ns.Get(), 3 * kMs);
}

TEST(GapWatch, EndsWithTheLastFramesThatMayArrive) {
  const Started job(0);
  GapWatch watch;
  watch.Add(job.watched());
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
  GapWatch watch;
  watch.Add(job.watched(/*answers=*/true));
  watch.See(9'000 * kMs, 70 * kMs);
  EXPECT_EQ(job.gaps().worst_ns.Get(), 70 * kMs);
}

TEST(GapWatch, AQueryHasEveryGapSinceItsStartBesideAJobThatIsOver) {
  const Started job(0);
  job.tx->sending = false;
  const auto query = std::make_shared<PollGaps>();
  GapWatch watch;
  watch.Add(job.watched());
  watch.Add({.owner = query, .gaps = query.get(), .since_ns = 100 * kMs, .job = nullptr});
  watch.See(99 * kMs, 50 * kMs);
  EXPECT_EQ(query->worst_ns.Get(), 0U);
  watch.See(103 * kMs, 50 * kMs);
  EXPECT_EQ(query->worst_ns.Get(), 3 * kMs);
  watch.See(9'000 * kMs, 70 * kMs);
  watch.See(9'001 * kMs, 1 * kMs);
  EXPECT_EQ(query->worst_ns.Get(), 70 * kMs);
  EXPECT_EQ(job.gaps().worst_ns.Get(), 0U);
}

TEST(GapWatch, WithNobodyToTellNothingIsNotable) {
  GapWatch watch;
  watch.See(9'000 * kMs, 70 * kMs);
}

}  // namespace
}  // namespace tester
