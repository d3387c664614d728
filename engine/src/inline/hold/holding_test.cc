// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/hold/holding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "inline/packets_testing.h"

namespace tester {
namespace {

constexpr uint64_t kMillisecond = 1'000'000;

// One direction of a path with numbered frames, and the numbers of those that have left it.
class OneDirection {
 public:
  explicit OneDirection(const PathPlan& plan) : events(plan), holding(plan, 0, events, counters) {}

  void Send(uint32_t number, uint64_t now_ns, size_t payload = 100) {
    Release(now_ns);
    auto frame = FrameOf({.sequence = number * 10'000, .payload = payload});
    counters.received.Add(1);
    const Treatment treatment = Treat(events, frame, 0, now_ns);
    counters.duplicated.Add(treatment.copies);
    for (uint16_t i = 0; i < treatment.copies; ++i) {
      if (holding.TakeCopy(frame, treatment, now_ns).fate == Fate::kPasses) Leave(number);
    }
    if (treatment.dropped) {
      counters.dropped.Add(1);
      return;
    }
    outcome = holding.Take(frame, treatment, now_ns);
    if (outcome.fate == Fate::kPasses) Leave(number);
    Release(now_ns);
  }

  void Release(uint64_t now_ns) {
    while (holding.next_due_ns() <= now_ns) {
      if (const auto held = holding.NextToLeave(now_ns)) {
        std::vector<uint8_t> frame(held->stored.bytes);
        holding.Write(held->stored, frame.data());
        holding.CountLate(*held, now_ns);
        Leave(Segment::Of(frame).sequence / 10'000);
      }
    }
  }

  uint64_t Accounted() const {
    return counters.forwarded.Get() + counters.dropped.Get() + counters.loss_drops.Get() +
           counters.tail_drops.Get() + counters.overflowed.Get() + counters.held.Get();
  }

  Events events;
  PathDirectionCounters counters;
  Holding holding;
  Holding::HoldOutcome outcome{};
  std::vector<uint32_t> left;

 private:
  void Leave(uint32_t number) {
    left.push_back(number);
    counters.forwarded.Add(1);
  }
};

EventPlan EventOf(Selection selection, PacketAction action) {
  return {.name = "event",
          .watch = 0,
          .heading = Heading::kBoth,
          .flow = 0,
          .data_only = false,
          .selection = selection,
          .action = action};
}

PathPlan PathOf(std::vector<EventPlan> events) {
  return {.name = "wan",
          .first_port = 0,
          .second_port = 1,
          .watches = {Matches{}},
          .events = std::move(events),
          .hold_bytes = 1 << 20};
}

PathPlan PathOf(ImpairmentPlan impairment) {
  PathPlan plan = PathOf(std::vector<EventPlan>{});
  plan.impairments[0] = std::move(impairment);
  return plan;
}

using Numbers = std::vector<uint32_t>;

TEST(Holding, IsNeededWhereFramesMayWait) {
  EXPECT_FALSE(Holding::Needed(PathOf({EventOf(ByEvery{1}, DropPacket{})}), 0));
  auto delay = EventOf(ByEvery{1}, DelayPacket{.delay_ns = 1, .overtaken = false});
  delay.heading = Heading::kBackward;
  EXPECT_FALSE(Holding::Needed(PathOf({delay}), 0));
  EXPECT_TRUE(Holding::Needed(PathOf({delay}), 1));
  EXPECT_TRUE(
      Holding::Needed(PathOf(ImpairmentPlan{.loss = ByRatio{.seed = 1, .threshold = 5}}), 0));
}

TEST(Holding, ADelayedPacketHoldsUpThoseBehindIt) {
  OneDirection path(PathOf({EventOf(ByNumber{.number = 2, .iteration = 1},
                                    DelayPacket{.delay_ns = 1000, .overtaken = false})}));
  for (uint32_t number = 1; number <= 4; ++number) path.Send(number, 100 * number);
  EXPECT_EQ(path.left, Numbers({1}));
  EXPECT_EQ(path.outcome.due_ns, 1200U);
  path.Release(1199);
  EXPECT_EQ(path.counters.held.Get(), 3U);
  path.Release(1200);
  EXPECT_EQ(path.left, Numbers({1, 2, 3, 4}));
  path.Send(5, 1300);
  EXPECT_EQ(path.outcome.fate, Fate::kPasses);
  EXPECT_EQ(path.counters.delayed.Get(), 3U);
}

TEST(Holding, ADelayedPacketMayBeOvertaken) {
  OneDirection path(PathOf({EventOf(ByNumber{.number = 2, .iteration = 1},
                                    DelayPacket{.delay_ns = 250, .overtaken = true})}));
  for (uint32_t number = 1; number <= 6; ++number) path.Send(number, 100 * number);
  EXPECT_EQ(path.left, Numbers({1, 3, 4, 2, 5, 6}));
  EXPECT_EQ(path.counters.worst_late_ns.Get(), 50U);
}

TEST(Holding, APacketIsReorderedByCount) {
  OneDirection path(PathOf({EventOf(ByNumber{.number = 2, .iteration = 1},
                                    ReorderPacket{.frames = 3, .limit_ns = kMillisecond})}));
  for (uint32_t number = 1; number <= 7; ++number) path.Send(number, 100 * number);
  EXPECT_EQ(path.left, Numbers({1, 3, 4, 5, 2, 6, 7}));
  EXPECT_EQ(path.events.counts(0).fired.Get(), 1U);
  EXPECT_EQ(path.events.counts(0).expired.Get(), 0U);
}

TEST(Holding, ThoseHeldBackTogetherWaitForTheSamePackets) {
  const ReorderPacket two{.frames = 2, .limit_ns = kMillisecond};
  OneDirection path(PathOf({EventOf(ByNumber{.number = 1, .iteration = 1}, two),
                            EventOf(ByNumber{.number = 2, .iteration = 1}, two)}));
  for (uint32_t number = 1; number <= 5; ++number) path.Send(number, 100 * number);
  EXPECT_EQ(path.left, Numbers({3, 4, 1, 2, 5}));
}

TEST(Holding, WhatIsDroppedPassesNobody) {
  OneDirection path(PathOf({EventOf(ByNumber{.number = 1, .iteration = 1},
                                    ReorderPacket{.frames = 1, .limit_ns = kMillisecond}),
                            EventOf(ByNumber{.number = 2, .iteration = 1}, DropPacket{})}));
  for (uint32_t number = 1; number <= 4; ++number) path.Send(number, 100 * number);
  EXPECT_EQ(path.left, Numbers({3, 1, 4}));
}

TEST(Holding, OnlyPacketsThatTheEventSeesPass) {
  auto event = EventOf(ByNumber{.number = 1, .iteration = 1},
                       ReorderPacket{.frames = 1, .limit_ns = kMillisecond});
  event.data_only = true;
  OneDirection path(PathOf({event}));
  path.Send(1, 100);
  path.Send(2, 200, 0);
  EXPECT_EQ(path.left, Numbers({2}));
  path.Send(3, 300);
  EXPECT_EQ(path.left, Numbers({2, 3, 1}));
}

TEST(Holding, NobodyIsHeldBackForEver) {
  OneDirection path(PathOf({EventOf(ByNumber{.number = 2, .iteration = 1},
                                    ReorderPacket{.frames = 3, .limit_ns = 500})}));
  path.Send(1, 100);
  path.Send(2, 200);
  path.Send(3, 300);
  EXPECT_EQ(path.holding.next_due_ns(), 700U);
  EXPECT_EQ(path.events.counts(0).held_back.Get(), 1U);
  path.Release(700);
  EXPECT_EQ(path.left, Numbers({1, 3, 2}));
  EXPECT_EQ(path.events.counts(0).expired.Get(), 1U);
  EXPECT_EQ(path.events.counts(0).held_back.Get(), 0U);
  for (uint32_t number = 4; number <= 8; ++number) path.Send(number, 200 * number);
  EXPECT_EQ(path.left, Numbers({1, 3, 2, 4, 5, 6, 7, 8}));
  EXPECT_TRUE(path.holding.empty());
}

TEST(Holding, CopiesAreDelayedLikeTheirPacket) {
  OneDirection path(PathOf({EventOf(ByEvery{2}, DuplicatePacket{}),
                            EventOf(ByEvery{2}, DelayPacket{.delay_ns = 150, .overtaken = true})}));
  for (uint32_t number = 1; number <= 4; ++number) path.Send(number, 100 * number);
  path.Release(1000);
  EXPECT_EQ(path.left, Numbers({1, 3, 2, 2, 4, 4}));
}

TEST(Holding, AConstantDelayIsExactAndKeepsTheOrder) {
  OneDirection path(PathOf(ImpairmentPlan{.delay = {.quantiles_ns = {1000}}}));
  for (uint32_t number = 1; number <= 20; ++number) {
    path.Send(number, 100 * number);
    EXPECT_EQ(path.outcome.due_ns, 100 * number + 1000);
  }
  path.Release(10'000);
  Numbers all(20);
  std::ranges::generate(all, [n = 0U]() mutable { return ++n; });
  EXPECT_EQ(path.left, all);
}

TEST(Holding, JitterReordersOnlyWhereItMay) {
  for (const bool overtaken : {false, true}) {
    OneDirection path(PathOf(ImpairmentPlan{
        .delay = {.seed = 8, .quantiles_ns = {0, 100'000}, .overtaken = overtaken}}));
    for (uint32_t number = 1; number <= 2000; ++number) path.Send(number, 1000 * number);
    path.Release(10 * kMillisecond);
    EXPECT_EQ(path.left.size(), 2000U);
    EXPECT_EQ(std::ranges::is_sorted(path.left), !overtaken);
    EXPECT_EQ(path.counters.held.Get(), 0U);
  }
}

TEST(Holding, WhatFindsNoMemoryIsCounted) {
  PathPlan plan = PathOf(ImpairmentPlan{.delay = {.quantiles_ns = {kMillisecond}}});
  plan.hold_bytes = 10 * FrameStore::kBlockBytes;
  OneDirection path(plan);
  for (uint32_t number = 1; number <= 15; ++number) path.Send(number, number);
  EXPECT_EQ(path.outcome.fate, Fate::kOverflowed);
  EXPECT_EQ(path.counters.overflowed.Get(), 5U);
  EXPECT_EQ(path.counters.held.Get(), 10U);
  path.Release(2 * kMillisecond);
  EXPECT_EQ(path.left.size(), 10U);
}

TEST(Holding, AsManyAsCanBeAreHeldBack) {
  OneDirection path(
      PathOf({EventOf(ByEvery{1}, ReorderPacket{.frames = 1, .limit_ns = kMillisecond})}));
  for (uint32_t number = 0; number < Holding::kMostHeldBack + 3; ++number) path.Send(number, 1);
  EXPECT_EQ(path.counters.overflowed.Get(), 3U);
  path.Release(2 * kMillisecond);
  EXPECT_EQ(path.left.size(), Holding::kMostHeldBack);
  EXPECT_EQ(path.events.counts(0).expired.Get(), Holding::kMostHeldBack);
}

// In every case each frame that arrived has left, is held, or is in exactly one counter.
TEST(Holding, CountsAddUp) {
  std::mt19937 random(21);
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    PathPlan plan = PathOf({EventOf(ByRatio{.seed = seed, .threshold = kAlways / 50}, DropPacket{}),
                            EventOf(ByEvery{17}, DuplicatePacket{}),
                            EventOf(ByRatio{.seed = seed + 1, .threshold = kAlways / 10},
                                    DelayPacket{.delay_ns = 30'000, .overtaken = seed % 2 == 0}),
                            EventOf(ByRatio{.seed = seed + 2, .threshold = kAlways / 20},
                                    ReorderPacket{.frames = 3, .limit_ns = 5'000})});
    plan.impairments[0] = ImpairmentPlan{
        .loss = ByRatio{.seed = seed, .threshold = kAlways / 30},
        .shaper = ShaperPlan{.bits_per_second = 1'000'000'000,
                             .overhead_bytes = 20,
                             .queue_frames = seed % 3 == 0 ? 0U : 15U,
                             .queue_bytes = 4'000},
        .delay = {.seed = seed, .quantiles_ns = {0, 20'000, 50'000}, .overtaken = seed % 5 == 0}};
    plan.hold_bytes = 16 << 8;
    OneDirection path(plan);
    uint64_t now_ns = 0;
    for (uint32_t number = 0; number < 2'000; ++number) {
      now_ns += random() % 4'000;
      path.Send(number, now_ns, random() % 1'000);
      ASSERT_EQ(path.counters.received.Get() + path.counters.duplicated.Get(), path.Accounted());
    }
    EXPECT_GT(path.counters.tail_drops.Get(), 0U);
    EXPECT_GT(path.counters.overflowed.Get(), 0U);
    // A frame held back until its limit is delayed as well.
    path.Release(now_ns + kMillisecond);
    path.Release(now_ns + 2 * kMillisecond);
    EXPECT_TRUE(path.holding.empty());
    EXPECT_EQ(path.counters.held.Get(), 0U);
    EXPECT_EQ(path.counters.received.Get() + path.counters.duplicated.Get(), path.Accounted());
  }
}

}  // namespace
}  // namespace tester
