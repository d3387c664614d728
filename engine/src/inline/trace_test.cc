// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/trace.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

namespace tester {
namespace {

constexpr size_t kFrameBytes = 200;
constexpr uint64_t kNow = 1'000;

class TraceTest : public testing::Test {
 protected:
  void Make(uint64_t every = 1, uint64_t frames = 1'000) {
    lane = std::make_shared<Lane>(Lane::Keep::kTrace, frames, 3,
                                  std::make_shared<std::atomic<bool>>(false));
    trace = std::make_unique<Trace>(
        lane, Trace::Plan{.every = every, .snap_length = 64, .ports = {1, 2}});
  }

  // A burst of `count` frames that the path has counted.
  std::vector<uint8_t*> Burst(size_t direction, size_t count) {
    std::array<uint8_t, kFrameBytes> frame{};
    std::vector<uint8_t*> records;
    trace->Begin(direction, received[direction]);
    received[direction] += count;
    for (size_t i = 0; i < count; ++i) {
      frame[0] = static_cast<uint8_t>(i);
      records.push_back(trace->See(frame, kNow));
    }
    return records;
  }

  void Publish(size_t direction) { trace->Publish(received[direction]); }

  std::array<uint64_t, 2> received{};
  std::shared_ptr<Lane> lane;
  std::unique_ptr<Trace> trace;
};

TEST_F(TraceTest, NumbersFramesOfBothDirectionsTogether) {
  Make();
  for (const size_t direction : {0, 1, 0}) {
    for (uint8_t* const record : Burst(direction, 5)) Trace::Leave(record, kNow + 7);
    Publish(direction);
  }
  lane->Drain();
  ASSERT_EQ(lane->kept().size(), 15U);
  for (uint64_t i = 0; i < 15; ++i) {
    const CapturedFacts& facts = lane->kept()[i].facts;
    EXPECT_EQ(facts.sequence, i);
    EXPECT_EQ(facts.port, i / 5 == 1 ? 2 : 1);
    EXPECT_EQ(facts.time_ns, kNow);
    EXPECT_EQ(facts.left_ns, kNow + 7);
    EXPECT_EQ(facts.original_bytes, kFrameBytes);
    EXPECT_EQ(lane->kept()[i].bytes.size(), 64U);
    EXPECT_EQ(lane->kept()[i].bytes[0], i % 5);
  }
  EXPECT_EQ(lane->counters(1).seen.Get(), 10U);
  EXPECT_EQ(lane->counters(2).seen.Get(), 5U);
  EXPECT_EQ(lane->counters(1).matched.Get(), 10U);
}

TEST_F(TraceTest, KnowsWhatHasHappened) {
  Make();
  const auto records = Burst(0, 2);
  Trace::Note(records[1], std::vector<uint32_t>{4, 0, 9, 11, 12});
  Publish(0);
  lane->Drain();
  EXPECT_EQ(lane->kept()[0].facts.events, (std::array<uint16_t, 4>{}));
  EXPECT_EQ(lane->kept()[1].facts.events, (std::array<uint16_t, 4>{5, 1, 10, 12}));
  EXPECT_EQ(lane->kept()[1].facts.left_ns, 0U) << "it has not left";
}

TEST_F(TraceTest, RecordsEachNth) {
  Make(3);
  Burst(0, 10);
  Publish(0);
  lane->Drain();
  ASSERT_EQ(lane->kept().size(), 4U);
  EXPECT_EQ(lane->kept()[3].facts.sequence, 9U);
  EXPECT_EQ(lane->counters(1).matched.Get(), 4U);
  EXPECT_EQ(lane->counters(1).seen.Get(), 10U);
}

TEST_F(TraceTest, WhatFindsNoRoomIsCounted) {
  Make(1, 4);
  const auto records = Burst(0, 10);
  for (uint8_t* const record : records) Trace::Leave(record, kNow);
  EXPECT_NE(records[3], nullptr);
  EXPECT_EQ(records[4], nullptr);
  Publish(0);
  Burst(0, 10);
  Publish(0);
  lane->Drain();
  EXPECT_EQ(lane->kept().size(), 4U);
  EXPECT_EQ(lane->counters(1).matched.Get(), 20U);
  EXPECT_EQ(lane->counters(1).dropped.Get(), 16U);
  EXPECT_EQ(lane->counters(1).seen.Get(), 20U);
  EXPECT_FALSE(lane->complete()) << "it runs until it is stopped";
}

TEST_F(TraceTest, WhatFindsNoRoomInTheRingIsCounted) {
  Make(1, 1'000'000);
  constexpr size_t kBursts = 3'000;  // of 64 frames of 128 bytes: more than 16 MiB
  for (size_t i = 0; i < kBursts; ++i) {
    Burst(0, kBurst);
    Publish(0);
  }
  const uint64_t dropped = lane->counters(1).dropped.Get();
  EXPECT_GT(dropped, 0U);
  lane->Drain();
  EXPECT_EQ(lane->kept().size() + dropped, kBursts * kBurst);
}

TEST_F(TraceTest, APathMayCountAnew) {
  Make();
  Burst(0, 10);
  Publish(0);
  received[0] = 0;  // a new start
  Burst(0, 5);
  Publish(0);
  EXPECT_EQ(lane->counters(1).seen.Get(), 15U);
}

TEST_F(TraceTest, WhatArrivedBeforeItsBeginIsNotMissing) {
  Make();
  received[0] = 700;
  Burst(0, 10);
  Publish(0);
  EXPECT_EQ(lane->counters(1).seen.Get(), 10U);
}

// A burst that bypasses the trace: the fourth condition of a complete trace detects it.
TEST_F(TraceTest, WhatThePathHasReceivedBesidesIsSeen) {
  Make();
  Burst(0, 10);
  Publish(0);
  received[0] += 3;
  Burst(0, 10);
  Publish(0);
  EXPECT_EQ(lane->counters(1).seen.Get(), 23U);
  EXPECT_EQ(lane->counters(1).matched.Get(), 20U);
}

}  // namespace
}  // namespace tester
