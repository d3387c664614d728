// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "capture/capture.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <thread>

namespace tester {
namespace {

CapturePlan Plan(Lane::Keep keep, uint32_t frames) {
  return {.name = "x",
          .ports = {true, true},
          .transmitted = true,
          .received = true,
          .filter = nullptr,
          .streams = {"north"},
          .keep = keep,
          .frames = frames,
          .snap_length = 20};
}

// A frame that one of two workers sees at a time.
void See(const Capture& capture, size_t worker, uint64_t time_ns) {
  const std::array<uint8_t, 60> frame{};
  const Tap tap{.lane = capture.lane(worker),
                .filter = nullptr,
                .streams = nullptr,
                .snap_length = 20,
                .port = static_cast<uint16_t>(worker),
                .transmitted = false};
  tap.lane->Begin();
  tap.See({.frame = frame, .time_ns = time_ns, .stream = 7});
  tap.lane->Publish(tap.port, 1);
}

std::vector<uint64_t> TimesOf(const Capture& capture) {
  std::vector<uint64_t> times;
  for (const auto& frame : capture.frames()) times.push_back(frame.facts.time_ns);
  return times;
}

TEST(Capture, HasTheFramesOfAllWorkersByTime) {
  Capture capture(Plan(Lane::Keep::kFirst, 10), 2, 2, 1, 0);
  for (const uint64_t time : {10U, 30U}) See(capture, 0, time);
  for (const uint64_t time : {5U, 20U, 40U}) See(capture, 1, time);
  EXPECT_TRUE(capture.running());
  capture.End(50);
  capture.Gather();
  EXPECT_EQ(TimesOf(capture), (std::vector<uint64_t>{5, 10, 20, 30, 40}));
  EXPECT_EQ(capture.counters(0).matched, 2);
  EXPECT_EQ(capture.counters(1).matched, 3);
  EXPECT_EQ(capture.kept(), 5);
  EXPECT_EQ(capture.frames()[0].bytes.size(), 20);
  EXPECT_EQ(capture.frames()[0].facts.original_bytes, 60);
}

TEST(Capture, KeepsTheFirstFramesOfAllWorkers) {
  Capture capture(Plan(Lane::Keep::kFirst, 3), 2, 2, 1, 0);
  for (const uint64_t time : {10U, 20U}) See(capture, 0, time);
  for (const uint64_t time : {5U, 15U, 25U}) See(capture, 1, time);
  EXPECT_FALSE(capture.running());
  EXPECT_FALSE(capture.stopped());
  capture.End(50);
  capture.Gather();
  EXPECT_EQ(TimesOf(capture), (std::vector<uint64_t>{5, 10, 15}));
}

TEST(Capture, HasAllItsFramesOnceItIsComplete) {
  for (int round = 0; round < 100; ++round) {
    Capture capture(Plan(Lane::Keep::kFirst, 50), 1, 2, 1, 0);
    for (uint64_t time = 1; time <= 50; ++time) See(capture, 0, time);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (capture.kept() < 50 && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
    ASSERT_EQ(capture.kept(), 50U) << "round " << round;
    capture.End(60);
    capture.Gather();
  }
}

TEST(Capture, KeepsTheLastFramesOfAllWorkers) {
  Capture capture(Plan(Lane::Keep::kLast, 3), 2, 2, 1, 0);
  for (const uint64_t time : {10U, 20U, 30U, 40U}) See(capture, 0, time);
  for (const uint64_t time : {5U, 35U}) See(capture, 1, time);
  capture.End(50);
  capture.Gather();
  EXPECT_EQ(TimesOf(capture), (std::vector<uint64_t>{30, 35, 40}));
}

TEST(Capture, KnowsItsStreamsByTheNamesOfThoseThatAreLoaded) {
  Capture capture(Plan(Lane::Keep::kLast, 3), 1, 2, 1, 0);
  capture.Know(7, "north");
  capture.Know(8, "south");
  const auto ids = capture.StreamIds();
  EXPECT_TRUE(ids->test(7));
  EXPECT_FALSE(ids->test(8));
  EXPECT_EQ(ids->count(), 1);
  EXPECT_EQ(capture.streams().size(), 2);
}

}  // namespace
}  // namespace tester
