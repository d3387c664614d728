// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/hold/shaper.h"

#include <gtest/gtest.h>

#include <random>

namespace tester {
namespace {

// 1 Gbit/s: 8 ns a byte.
ShaperPlan Gigabit(uint32_t frames, uint64_t bytes = 0) {
  return {.bits_per_second = 1'000'000'000,
          .overhead_bytes = 0,
          .queue_frames = frames,
          .queue_bytes = bytes};
}

TEST(Shaper, AFrameLeavesWithItsLastBit) {
  Shaper shaper(Gigabit(10));
  EXPECT_EQ(shaper.Leaves(96, 1000), 1000 + 800U) << "its FCS counts";
  EXPECT_EQ(shaper.Leaves(96, 1000), 1000 + 1600U);
  EXPECT_EQ(shaper.Leaves(96, 10'000), 10'800U) << "what nobody used is gone";
}

TEST(Shaper, PreambleAndGapCountWhereTheyAreAskedFor) {
  ShaperPlan plan = Gigabit(10);
  plan.overhead_bytes = 20;
  Shaper shaper(plan);
  EXPECT_EQ(shaper.Leaves(60, 0), 84U * 8);
}

TEST(Shaper, AQueueOfFramesDropsItsTail) {
  Shaper shaper(Gigabit(2));
  EXPECT_TRUE(shaper.Leaves(96, 0));
  EXPECT_TRUE(shaper.Leaves(96, 0));
  EXPECT_FALSE(shaper.Leaves(96, 799));
  EXPECT_EQ(shaper.Leaves(96, 800), 2400U) << "one has left";
  EXPECT_FALSE(shaper.Leaves(96, 800));
}

TEST(Shaper, AQueueOfBytesDropsItsTail) {
  Shaper shaper(Gigabit(0, 250));
  EXPECT_TRUE(shaper.Leaves(96, 0));
  EXPECT_TRUE(shaper.Leaves(96, 0));
  EXPECT_FALSE(shaper.Leaves(96, 0));
  EXPECT_TRUE(shaper.Leaves(46, 0)) << "a shorter one finds room";
  EXPECT_TRUE(shaper.Leaves(96, 800));
}

TEST(Shaper, ARateIsExactForAsLongAsItTakes) {
  for (const uint64_t rate : {1'000ULL, 9'999'991ULL, 40'000'000'000ULL, 1'000'000'000'000ULL}) {
    ShaperPlan plan = Gigabit(65'536);
    plan.bits_per_second = rate;
    Shaper shaper(plan);
    uint64_t last_ns = 0;
    constexpr uint64_t kFrames = 50'000;
    for (uint64_t i = 0; i < kFrames; ++i) last_ns = *shaper.Leaves(121, 0);
    const double expected = static_cast<double>(kFrames) * 1000 / static_cast<double>(rate) * 1e9;
    EXPECT_NEAR(static_cast<double>(last_ns) / expected, 1, 5e-5) << rate;
  }
}

// Never faster than the rate, and never more in the queue than it holds.
TEST(Shaper, IsNeverFasterThanItsRate) {
  std::mt19937 random(2);
  for (const auto& plan : {Gigabit(20), Gigabit(0, 5000)}) {
    Shaper shaper(plan);
    uint64_t now_ns = 0;
    uint64_t last_ns = 0;
    size_t dropped = 0;
    for (int i = 0; i < 20'000; ++i) {
      now_ns += random() % 8000;
      const uint64_t bytes = 60 + random() % 1000;
      const auto leaves_ns = shaper.Leaves(bytes, now_ns);
      if (!leaves_ns) {
        ++dropped;
        continue;
      }
      const uint64_t took_ns = (bytes + 4) * 8;
      ASSERT_GE(*leaves_ns, now_ns + took_ns);
      ASSERT_GE(*leaves_ns, last_ns + took_ns);
      ASSERT_LE(*leaves_ns, now_ns + uint64_t{plan.queue_bytes == 0 ? 20U * 1064 : 5000} * 8);
      last_ns = *leaves_ns;
    }
    EXPECT_GT(dropped, 0U);
  }
}

}  // namespace
}  // namespace tester
