// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/events/blackholes.h"

#include <gtest/gtest.h>

#include <vector>

#include "inline/events/events.h"
#include "inline/packets_testing.h"

namespace tester {
namespace {

EventPlan HoleFrom(uint64_t number, BlackholePath blackhole, uint32_t flow = 1) {
  return {.name = "hole",
          .watch = 0,
          .heading = Heading::kBoth,
          .flow = flow,
          .data_only = false,
          .selection = ByNumber{.number = number, .iteration = 1},
          .action = blackhole};
}

PathPlan PlanOf(const EventPlan& event) {
  return {.name = "path", .first_port = 0, .second_port = 1, .watches = {{}}, .events = {event}};
}

class Hole {
 public:
  explicit Hole(const PathPlan& plan) : events(plan) {}

  bool Swallows(const TestSegment& segment, uint64_t now_ns, size_t direction = 0) {
    auto frame = FrameOf(segment);
    last = Treat(events, frame, direction, now_ns);
    return last.dropped;
  }

  Events events;
  Treatment last{};
};

TestSegment Data(uint32_t number, uint16_t client_port = 40'000) {
  return {.client_port = client_port, .sequence = 1 + (number - 1) * 100, .payload = 100};
}

TEST(Blackholes, SwallowADirectionForATime) {
  Hole path(PlanOf(HoleFrom(2, {.duration_ns = 100, .flow_only = false})));
  EXPECT_FALSE(path.Swallows(Data(1), 10));
  EXPECT_TRUE(path.Swallows(Data(2), 20)) << "the packet itself";
  EXPECT_TRUE(path.Swallows(Data(3), 119));
  EXPECT_TRUE(path.Swallows(Data(1, 41'000), 119)) << "of another flow";
  EXPECT_EQ(path.events.unseen(), 0U);
  EXPECT_FALSE(path.Swallows({.to_client = true}, 119, 1)) << "of the other direction";
  EXPECT_FALSE(path.Swallows(Data(4), 120)) << "it is over";
  EXPECT_FALSE(path.Swallows(Data(2), 121)) << "and does not come back";
  const auto& counts = path.events.counts(0);
  EXPECT_EQ(counts.fired.Get(), 3U);
  EXPECT_EQ(counts.first_ns.Get(), 20U);
  EXPECT_EQ(counts.last_ns.Get(), 119U);
}

TEST(Blackholes, SwallowBothDirectionsAtOnce) {
  for (const bool both_ways : {false, true}) {
    Hole path(
        PlanOf(HoleFrom(2, {.duration_ns = 100, .flow_only = false, .both_ways = both_ways})));
    const TestSegment back{.to_client = true, .sequence = 1};
    EXPECT_FALSE(path.Swallows(Data(1), 10));
    EXPECT_TRUE(path.Swallows(Data(2), 20));
    EXPECT_EQ(path.Swallows(back, 119, 1), both_ways);
    EXPECT_FALSE(path.Swallows(back, 120, 1)) << "it lasts no longer than the other one";
    EXPECT_FALSE(path.Swallows(Data(3), 120));
  }
}

TEST(Blackholes, BothDirectionsOfAFlow) {
  Hole path(PlanOf(HoleFrom(2, {.duration_ns = 100, .flow_only = true, .both_ways = true}, 0)));
  const TestSegment back{.to_client = true, .sequence = 1};
  const TestSegment other{.client_port = 41'000, .to_client = true, .sequence = 1};
  EXPECT_FALSE(path.Swallows(Data(1), 10));
  EXPECT_TRUE(path.Swallows(Data(2), 20));
  EXPECT_TRUE(path.Swallows(back, 30, 1));
  EXPECT_FALSE(path.Swallows(other, 30, 1));
}

TEST(Blackholes, SwallowAFlow) {
  Hole path(PlanOf(HoleFrom(3, {.duration_ns = 100, .flow_only = true}, 0)));
  EXPECT_FALSE(path.Swallows(Data(1, 41'000), 10));
  EXPECT_FALSE(path.Swallows(Data(1), 10));
  EXPECT_TRUE(path.Swallows(Data(2), 20));
  EXPECT_FALSE(path.Swallows(Data(2, 41'000), 30));
  EXPECT_TRUE(path.Swallows(Data(3), 40));
  EXPECT_TRUE(path.Swallows({.sequence = 301}, 40)) << "an acknowledgment";
}

TEST(Blackholes, APacketOfNoFlowOpensNoneOfAFlow) {
  Hole path(PlanOf(HoleFrom(1, {.duration_ns = 100, .flow_only = true}, 0)));
  std::vector<uint8_t> arp(60);
  arp[12] = 8;
  arp[13] = 6;
  EXPECT_FALSE(Treat(path.events, arp, 0, 1).dropped);
  EXPECT_EQ(path.events.counts(0).missed.Get(), 1U);
}

TEST(Blackholes, AreNotProlonged) {
  auto event = HoleFrom(1, {.duration_ns = 100, .flow_only = false}, 0);
  event.selection = ByEvery{.packets = 2};
  Hole path(PlanOf(event));
  EXPECT_FALSE(path.Swallows(Data(1), 0));
  EXPECT_TRUE(path.Swallows(Data(2), 0));
  EXPECT_TRUE(path.Swallows(Data(3), 60));
  EXPECT_TRUE(path.Swallows(Data(4), 90)) << "selected, in the blackhole of the second one";
  EXPECT_FALSE(path.Swallows(Data(5), 100));
  EXPECT_TRUE(path.Swallows(Data(6), 110)) << "which begins another one";
  EXPECT_TRUE(path.Swallows(Data(7), 209));
}

TEST(Blackholes, WhatHappensBeforeThemHappens) {
  auto plan = PlanOf(HoleFrom(1, {.duration_ns = 100, .flow_only = false}));
  for (const uint32_t place : {0, 1}) {
    EventPlan copy = HoleFrom(2, {}, 1);
    copy.action = DuplicatePacket{};
    plan.events.insert(plan.events.begin() + (place == 0 ? 0 : 2), copy);
  }
  Hole path(plan);
  EXPECT_TRUE(path.Swallows(Data(1), 0));
  EXPECT_TRUE(path.Swallows(Data(2), 1));
  EXPECT_EQ(path.last.copies, 1U);
  EXPECT_EQ(path.events.counts(2).fired.Get(), 0U) << "nothing happens to what is dropped";
}

EventPlan CutAt(uint64_t number) {
  EventPlan event = HoleFrom(number, {});
  event.action = TakeLinkDown{.duration_ns = 100, .ports = {true, false}};
  return event;
}

TEST(LinkCuts, SwallowBothDirectionsUntilTheLinksAreUpAgain) {
  Hole path(PlanOf(CutAt(2)));
  LinkCut& cut = path.events.link_cuts().at(0);
  EXPECT_FALSE(path.Swallows(Data(1), 10));
  EXPECT_FALSE(cut.in_force());
  EXPECT_TRUE(path.Swallows(Data(2), 20)) << "the packet itself";
  EXPECT_TRUE(path.events.IsCut());
  EXPECT_EQ(cut.asked_ns(), 20U);
  EXPECT_TRUE(path.Swallows({.to_client = true}, 1'000'000, 1)) << "it takes as long as it takes";
  cut.End();
  EXPECT_FALSE(path.events.IsCut());
  EXPECT_FALSE(path.Swallows({.to_client = true}, 1'000'001, 1));
  EXPECT_FALSE(path.Swallows(Data(3), 1'000'002));
  EXPECT_EQ(path.events.counts(0).fired.Get(), 2U);
  EXPECT_EQ(path.events.counts(0).last_ns.Get(), 1'000'000U);
}

TEST(LinkCuts, ComeAgain) {
  EventPlan each = CutAt(1);
  each.selection = ByEvery{.packets = 2};
  Hole path(PlanOf(each));
  LinkCut& cut = path.events.link_cuts().at(0);
  EXPECT_FALSE(path.Swallows(Data(1), 10));
  EXPECT_TRUE(path.Swallows(Data(2), 20));
  EXPECT_TRUE(path.Swallows(Data(3), 30));
  EXPECT_TRUE(path.Swallows(Data(4), 40)) << "which would begin one";
  EXPECT_EQ(cut.asked_ns(), 20U) << "and does not prolong it";
  cut.End();
  EXPECT_FALSE(path.Swallows(Data(5), 50));
  EXPECT_TRUE(path.Swallows(Data(6), 60));
  EXPECT_TRUE(cut.in_force());
  EXPECT_EQ(cut.asked_ns(), 60U);
}

}  // namespace
}  // namespace tester
