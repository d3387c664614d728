// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "capture/capture_lane.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>

namespace tester {
namespace {

constexpr uint32_t kFrameBytes = 1500;
constexpr size_t kRingFrames = (16U << 20) / (1504 + sizeof(CapturedFacts));

class LaneTest : public testing::Test {
 protected:
  void Make(Lane::Keep keep, uint64_t frames) {
    lane = std::make_unique<Lane>(keep, frames, 2, complete);
  }

  // Captures `count` frames; the port takes `through` of them.
  void See(size_t count, size_t through, bool wanted = true) {
    const std::array<uint8_t, kFrameBytes> bytes{};
    lane->Begin();
    for (size_t i = 0; i < count; ++i) {
      lane->See(wanted,
                {.time_ns = next + i,
                 .sequence = next + i,
                 .original_bytes = kFrameBytes,
                 .kept_bytes = kFrameBytes,
                 .port = 1,
                 .stream = 3,
                 .transmitted = true},
                bytes.data());
    }
    lane->Publish(1, through);
    next += through;
  }

  void ExpectCounters(uint64_t seen, uint64_t matched, uint64_t dropped) {
    EXPECT_EQ(lane->counters(1).seen.Get(), seen);
    EXPECT_EQ(lane->counters(1).matched.Get(), matched);
    EXPECT_EQ(lane->counters(1).dropped.Get(), dropped);
    EXPECT_EQ(lane->counters(0).seen.Get(), 0);
  }

  const std::shared_ptr<std::atomic<bool>> complete = std::make_shared<std::atomic<bool>>(false);
  std::unique_ptr<Lane> lane;
  uint64_t next = 0;
};

TEST_F(LaneTest, FramesThatAPortDoesNotTakeAreNotCaptured) {
  Make(Lane::Keep::kFirst, 100);
  See(8, 5);
  See(8, 0);
  See(8, 8);
  ExpectCounters(13, 13, 0);
  EXPECT_TRUE(lane->Drain());
  ASSERT_EQ(lane->kept().size(), 13);
  for (uint64_t i = 0; i < 13; ++i) EXPECT_EQ(lane->kept()[i].facts.sequence, i);
}

TEST_F(LaneTest, WhatIsNotWantedIsOnlySeen) {
  Make(Lane::Keep::kFirst, 100);
  See(8, 8, false);
  ExpectCounters(8, 0, 0);
  EXPECT_FALSE(lane->Drain());
}

TEST_F(LaneTest, WhatFindsNoRoomIsDroppedAndCounted) {
  Make(Lane::Keep::kLast, UINT32_MAX);
  constexpr size_t kBursts = kRingFrames / kBurst + 2;
  for (size_t i = 0; i < kBursts; ++i) See(kBurst, kBurst);
  constexpr uint64_t kAll = kBursts * kBurst;
  ExpectCounters(kAll, kAll, kAll - kRingFrames);
  EXPECT_TRUE(lane->Drain());
  EXPECT_EQ(lane->kept().size(), kRingFrames);
  See(1, 1);  // a free place
  ExpectCounters(kAll + 1, kAll + 1, kAll - kRingFrames);
}

TEST_F(LaneTest, ADropThatTheDriverTookBackIsNone) {
  Make(Lane::Keep::kLast, UINT32_MAX);
  for (size_t i = 0; i < kRingFrames / kBurst + 1; ++i) See(kBurst, kBurst);
  const uint64_t dropped = lane->counters(1).dropped.Get();
  See(kBurst, 0);
  EXPECT_EQ(lane->counters(1).dropped.Get(), dropped);
}

TEST_F(LaneTest, TheFirstFramesEndItAtOnce) {
  Make(Lane::Keep::kFirst, 70);
  See(kBurst, kBurst);
  EXPECT_FALSE(lane->complete());
  See(kBurst, kBurst);
  EXPECT_TRUE(*complete);
  See(kBurst, kBurst);
  ExpectCounters(70, 70, 0);
  lane->Drain();
  EXPECT_EQ(lane->kept().size(), 70);
  EXPECT_EQ(lane->kept().back().facts.sequence, 69);
}

TEST_F(LaneTest, TheFirstFramesOfAnotherLaneEndItToo) {
  Make(Lane::Keep::kFirst, 70);
  See(8, 8);
  *complete = true;
  See(8, 8);
  ExpectCounters(8, 8, 0);
}

TEST_F(LaneTest, TheLastFramesStay) {
  Make(Lane::Keep::kLast, 70);
  for (int i = 0; i < 5; ++i) {
    See(kBurst, kBurst);
    lane->Drain();
  }
  ExpectCounters(320, 320, 0);
  ASSERT_EQ(lane->kept().size(), 70);
  EXPECT_EQ(lane->kept().front().facts.sequence, 250);
  EXPECT_EQ(lane->kept().back().facts.sequence, 319);
  EXPECT_EQ(lane->kept_count(), 70);
}

}  // namespace
}  // namespace tester
