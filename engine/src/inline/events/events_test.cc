// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/events/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>
#include <vector>

#include "inline/packets_testing.h"

namespace tester {
namespace {

using testing::ElementsAre;

constexpr size_t kForward = 0;
constexpr size_t kBackward = 1;

EventPlan EventOf(Selection selection, PacketAction action, uint32_t flow = 1) {
  return {.name = "event",
          .watch = 0,
          .heading = Heading::kBoth,
          .flow = flow,
          .data_only = false,
          .selection = selection,
          .action = action};
}

PathPlan PlanOf(std::vector<EventPlan> events) {
  return {.name = "path",
          .first_port = 0,
          .second_port = 1,
          .watches = {{}},
          .events = std::move(events)};
}

// Treats frames one after the other, at times 1, 2, 3 ...
class Dialogue {
 public:
  explicit Dialogue(const PathPlan& plan) : events(plan) {}

  Treatment See(const TestSegment& segment, size_t direction = kForward) {
    frame = FrameOf(segment);
    return Treat(events, frame, direction, ++now_ns);
  }
  bool DropsRoce(const TestRoce& packet, size_t direction = kForward) {
    frame = RoceFrameOf(packet);
    return Treat(events, frame, direction, ++now_ns).dropped;
  }
  bool Drops(const TestSegment& segment, size_t direction = kForward) {
    return See(segment, direction).dropped;
  }

  Events events;
  std::vector<uint8_t> frame;
  uint64_t now_ns = 0;
};

TestSegment Data(uint32_t number, uint16_t client_port = 40'000) {
  return {.client_port = client_port, .sequence = 1 + (number - 1) * 100, .payload = 100};
}

TEST(Events, DropThePacketOfANumber) {
  Dialogue run(PlanOf({EventOf(ByNumber{.number = 3, .iteration = 1}, DropPacket{})}));
  std::vector<bool> dropped;
  for (uint32_t i = 1; i <= 5; ++i) dropped.push_back(run.Drops(Data(i)));
  EXPECT_THAT(dropped, ElementsAre(false, false, true, false, false));
  EXPECT_FALSE(run.Drops(Data(3))) << "its retransmission is another transmission";
  EXPECT_EQ(run.events.matched(0), 6U);
  EXPECT_EQ(run.events.counts(0).fired.Get(), 1U);
  EXPECT_EQ(run.events.counts(0).first_ns.Get(), 3U);
  EXPECT_EQ(run.events.counts(0).last_ns.Get(), 3U);
}

TEST(Events, RetransmissionsHaveNoNumber) {
  Dialogue run(PlanOf({EventOf(ByNumber{.number = 4, .iteration = 1}, DropPacket{})}));
  for (const uint32_t number : {1, 2, 1, 2, 2, 3}) EXPECT_FALSE(run.Drops(Data(number)));
  EXPECT_TRUE(run.Drops(Data(4)));
}

TEST(Events, HitTheTransmissionThatIsAskedFor) {
  Dialogue run(PlanOf({EventOf(ByNumber{.number = 2, .iteration = 1}, DropPacket{}),
                       EventOf(ByNumber{.number = 2, .iteration = 3}, DropPacket{})}));
  EXPECT_FALSE(run.Drops(Data(1)));
  EXPECT_TRUE(run.Drops(Data(2)));
  EXPECT_FALSE(run.Drops(Data(3)));
  EXPECT_FALSE(run.Drops(Data(2))) << "second transmission";
  EXPECT_FALSE(run.Drops(Data(1)));
  EXPECT_TRUE(run.Drops(Data(2))) << "third transmission";
  EXPECT_FALSE(run.Drops(Data(2)));
  EXPECT_EQ(run.events.counts(1).fired.Get(), 1U);
}

// Stacks segment their data anew when they retransmit.
TEST(Events, KnowARetransmissionByItsFirstSequenceNumber) {
  Dialogue run(PlanOf({EventOf(ByNumber{.number = 2, .iteration = 2}, DropPacket{})}));
  for (uint32_t i = 1; i <= 3; ++i) run.See(Data(i));
  EXPECT_FALSE(run.Drops({.sequence = 151, .payload = 50})) << "its second half only";
  EXPECT_TRUE(run.Drops({.sequence = 51, .payload = 60})) << "the end of 1 and the begin of 2";
}

TEST(Events, ARetransmissionWithNewDataHasANumberToo) {
  Dialogue run(PlanOf({EventOf(ByNumber{.number = 2, .iteration = 2}, DropPacket{}),
                       EventOf(ByNumber{.number = 3, .iteration = 1}, MarkPacket{})}));
  run.See(Data(1));
  run.See(Data(2));
  const Treatment both = run.See({.sequence = 101, .payload = 200});
  EXPECT_TRUE(both.dropped);
  EXPECT_EQ(run.events.counts(1).fired.Get(), 0U) << "nothing happens to what is dropped";
}

TEST(Events, SequenceNumbersGoRound) {
  Dialogue run(PlanOf({EventOf(ByNumber{.number = 2, .iteration = 2}, DropPacket{})}));
  EXPECT_FALSE(run.Drops({.sequence = 0xffffff9c, .payload = 50}));
  EXPECT_FALSE(run.Drops({.sequence = 0xffffffce, .payload = 100}));
  EXPECT_FALSE(run.Drops({.sequence = 50, .payload = 100}));
  EXPECT_TRUE(run.Drops({.sequence = 0xffffffce, .payload = 100}));
}

TEST(Events, FlowsAreNumberedAsTheyAppear) {
  Dialogue run(PlanOf({EventOf(ByNumber{.number = 2, .iteration = 1}, DropPacket{}, 2)}));
  EXPECT_FALSE(run.Drops(Data(1, 40'000)));
  EXPECT_FALSE(run.Drops(Data(2, 40'000)));
  EXPECT_FALSE(run.Drops(Data(1, 39'000)));
  EXPECT_FALSE(run.Drops(Data(1, 41'000)));
  EXPECT_FALSE(run.Drops(Data(2, 41'000)));
  EXPECT_TRUE(run.Drops(Data(2, 39'000)));
  EXPECT_EQ(run.events.flows(), 2U) << "nobody asks for the third one";
}

TEST(Events, ASynWithAnotherNumberIsAnotherFlow) {
  Dialogue run(PlanOf({EventOf(ByNumber{.number = 1, .iteration = 1}, DropPacket{}, 2)}));
  EXPECT_FALSE(run.Drops({.sequence = 7, .flags = kTestSyn}));
  EXPECT_FALSE(run.Drops({.sequence = 7, .flags = kTestSyn})) << "sent again";
  EXPECT_FALSE(run.Drops({.sequence = 8, .payload = 10}));
  EXPECT_TRUE(run.Drops({.sequence = 5'000, .flags = kTestSyn}));
}

TEST(Events, SynsHaveIterationsToo) {
  Dialogue run(PlanOf({EventOf(ByNumber{.number = 1, .iteration = 2}, DropPacket{})}));
  EXPECT_FALSE(run.Drops({.sequence = 7, .flags = kTestSyn}));
  EXPECT_TRUE(run.Drops({.sequence = 7, .flags = kTestSyn}));
}

TEST(Events, DirectionsAreNumberedApartWhereOneIsAskedFor) {
  auto event = EventOf(ByNumber{.number = 1, .iteration = 1}, DropPacket{});
  event.heading = Heading::kBackward;
  event.data_only = true;
  Dialogue run(PlanOf({event}));
  EXPECT_FALSE(run.Drops(Data(1)));
  EXPECT_FALSE(run.Drops({.to_client = true}, kBackward)) << "without payload";
  EXPECT_TRUE(run.Drops({.to_client = true, .payload = 10}, kBackward));
  EXPECT_EQ(run.events.matched(0), 1U);
}

TEST(Events, SegmentsOfBothDirectionsAreNotMistakenForEachOther) {
  Dialogue run(PlanOf({EventOf(ByNumber{.number = 1, .iteration = 2}, DropPacket{})}));
  EXPECT_FALSE(run.Drops(Data(1)));
  EXPECT_FALSE(run.Drops({.to_client = true, .sequence = 1, .payload = 100}, kBackward));
  EXPECT_FALSE(run.Drops({.to_client = true, .sequence = 1, .payload = 100}, kBackward));
  EXPECT_TRUE(run.Drops(Data(1)));
}

TEST(Events, EveryNth) {
  Dialogue run(PlanOf({EventOf(ByEvery{.packets = 3}, DropPacket{}, 0)}));
  std::vector<bool> dropped;
  for (uint32_t i = 0; i < 7; ++i) dropped.push_back(run.Drops(Data(1)));
  EXPECT_THAT(dropped, ElementsAre(false, false, true, false, false, true, false));
}

TEST(Events, ARatioIsTheSameForTheSameSeed) {
  const auto plan =
      PlanOf({EventOf(ByRatio{.seed = 5, .threshold = uint64_t{1} << 62}, DropPacket{}, 0)});
  Dialogue one(plan);
  Dialogue other(plan);
  uint64_t dropped = 0;
  for (uint32_t i = 1; i <= 10'000; ++i) {
    const bool drops = one.Drops(Data(i));
    EXPECT_EQ(drops, other.Drops(Data(i)));
    dropped += drops ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(dropped), 2500, 5 * 44);  // five times its standard deviation
}

TEST(Events, WatchesLookAtBytes) {
  auto plan = PlanOf({EventOf(ByNumber{.number = 1, .iteration = 1}, DropPacket{}, 1)});
  // The lower byte of the TCP source port.
  plan.watches = {{{.offset = 35, .mask = 0xff, .value = 41'000 & 0xff}}};
  Dialogue run(plan);
  EXPECT_FALSE(run.See(Data(1)).selected);
  EXPECT_EQ(run.events.unseen(), 1U);
  EXPECT_TRUE(run.See(Data(1, 41'000)).dropped) << "the first flow of those that match";
  EXPECT_EQ(run.events.unseen(), 0U);
}

TEST(Events, SelectThePacketWithAByte) {
  const ByCarried carried{.sequence = 150, .from_start = true, .iteration = 1};
  auto plan = PlanOf(
      {EventOf(carried, DropPacket{}),
       EventOf(ByCarried{.sequence = 150, .from_start = true, .iteration = 3}, MarkPacket{})});
  Dialogue run(plan);
  const auto data = [](uint32_t byte, size_t bytes) {
    return TestSegment{.sequence = 0xffffffc0 + byte, .payload = bytes};
  };
  EXPECT_FALSE(run.Drops({.sequence = 0xffffffbf, .flags = kTestSyn})) << "takes one number itself";
  EXPECT_FALSE(run.Drops(data(0, 100)));
  EXPECT_FALSE(run.Drops({.to_client = true, .sequence = 1, .payload = 140}, kBackward));
  EXPECT_TRUE(run.Drops(data(100, 100))) << "behind the end of all sequence numbers";
  EXPECT_FALSE(run.Drops(data(200, 100)));
  EXPECT_FALSE(run.Drops(data(140, 10))) << "ends before it";
  EXPECT_FALSE(run.See(data(150, 1)).changed) << "cut anew, its second transmission";
  EXPECT_TRUE(run.See(data(100, 100)).changed);
  EXPECT_TRUE(run.Drops({.to_client = true, .sequence = 141, .payload = 11}, kBackward))
      << "each direction has its own";
}

TEST(Events, AFinHasNoByte) {
  Dialogue run(PlanOf(
      {EventOf(ByCarried{.sequence = 100, .from_start = true, .iteration = 1}, DropPacket{})}));
  EXPECT_FALSE(run.Drops(Data(1)));
  EXPECT_FALSE(run.Drops({.sequence = 101, .flags = kTestAck | Segment::kFin}));
  EXPECT_TRUE(run.Drops(Data(2)));
}

TEST(Events, SelectThePacketWithASequenceNumber) {
  const auto carried = [](uint32_t sequence) {
    return ByCarried{.sequence = sequence, .from_start = false, .iteration = 1};
  };
  Dialogue run(PlanOf({EventOf(carried(250), DropPacket{})}));
  EXPECT_FALSE(run.Drops(Data(2)));
  EXPECT_TRUE(run.Drops(Data(3)));
  EXPECT_FALSE(run.Drops(Data(3, 41'000))) << "of another flow";

  Dialogue roce(PlanOf({EventOf(carried(7), DropPacket{})}));
  EXPECT_FALSE(roce.DropsRoce({.psn = 6, .payload = 64}));
  EXPECT_TRUE(roce.DropsRoce({.psn = 7, .payload = 64}));
  Dialogue bytes(PlanOf(
      {EventOf(ByCarried{.sequence = 0, .from_start = true, .iteration = 1}, DropPacket{})}));
  EXPECT_FALSE(bytes.DropsRoce({.psn = 0, .payload = 64})) << "bytes of RoCEv2 are not numbered";
}

TEST(Events, SelectByAPatternAgainAndAgain) {
  Dialogue run(PlanOf({EventOf(ByPattern{.selects = {0, 1, 1}}, DropPacket{}, 0)}));
  std::vector<bool> dropped;
  for (uint32_t i = 1; i <= 6; ++i) dropped.push_back(run.Drops(Data(i)));
  EXPECT_THAT(dropped, ElementsAre(false, true, true, false, true, true));
}

TEST(Events, WhatIsNoIpIsOfNoFlow) {
  Dialogue run(PlanOf({EventOf(ByNumber{.number = 1, .iteration = 1}, DropPacket{}),
                       EventOf(ByNumber{.number = 2, .iteration = 1}, DropPacket{}, 0)}));
  std::vector<uint8_t> arp(60);
  arp[12] = 8;
  arp[13] = 6;
  EXPECT_FALSE(Treat(run.events, arp, kForward, 1).dropped);
  EXPECT_TRUE(Treat(run.events, arp, kForward, 2).dropped) << "of all frames it is the second one";
  EXPECT_EQ(run.events.matched(0), 0U);
}

TEST(Events, HappenInTheirOrder) {
  Dialogue run(
      PlanOf({EventOf(ByNumber{.number = 1, .iteration = 1}, DuplicatePacket{}),
              EventOf(ByNumber{.number = 1, .iteration = 1}, TruncatePacket{.bytes = 60}),
              EventOf(ByNumber{.number = 1, .iteration = 1},
                      CorruptPacket{.part = Part::kPayload, .bit = 99 * 8, .repair = false})}));
  const Treatment treatment = run.See(Data(1));
  EXPECT_EQ(treatment.copies, 1U);
  EXPECT_EQ(treatment.bytes, 60U);
  EXPECT_EQ(run.events.counts(2).missed.Get(), 1U) << "the bit was cut off";
  EXPECT_EQ(run.events.counts(2).fired.Get(), 0U);
}

TEST(Events, MarksKeepChecksumsRight) {
  for (const bool ipv6 : {false, true}) {
    Dialogue run(PlanOf({EventOf(ByEvery{.packets = 1}, MarkPacket{}, 0)}));
    const auto before = FrameOf({.payload = 31, .ipv6 = ipv6});
    EXPECT_TRUE(run.See({.payload = 31, .ipv6 = ipv6}).changed);
    EXPECT_NE(run.frame, before);
    EXPECT_TRUE(SumsAreRight(run.frame));
    const uint8_t* ip = run.frame.data() + 14;
    EXPECT_EQ(ipv6 ? ip[1] >> 4 & 3 : ip[1] & 3, 3);
  }
}

TEST(Events, CorruptAnyBitAndRepairWhatTells) {
  for (const bool ipv6 : {false, true}) {
    const auto before = FrameOf({.payload = 31, .ipv6 = ipv6});
    const Segment segment = Segment::Of(before);
    const uint32_t first = static_cast<uint32_t>(segment.network) * 8;
    for (uint32_t bit = first; bit < segment.end * 8; ++bit) {
      const size_t byte = bit / 8;
      // A change of total length or protocol would move the checksum.
      const size_t in_ip = byte - segment.network;
      const bool shape = ipv6 ? in_ip < 7 : in_ip < 4 || in_ip == 6 || in_ip == 7 || in_ip == 9;
      const bool in_offset = byte == segment.transport + 12;
      const size_t transport_sum = segment.transport + 16;
      const bool in_sum = byte == transport_sum || byte == transport_sum + 1 ||
                          (!ipv6 && (in_ip == 10 || in_ip == 11));
      const bool covered = !ipv6 || in_ip >= 8;  // by any checksum
      for (const bool repair : {false, true}) {
        Dialogue run(PlanOf(
            {EventOf(ByEvery{.packets = 1},
                     CorruptPacket{.part = Part::kFrame, .bit = bit, .repair = repair}, 0)}));
        const Treatment treatment = run.See({.payload = 31, .ipv6 = ipv6});
        ASSERT_EQ(treatment.changed, !(repair && in_sum)) << bit;
        if (!treatment.changed || shape || in_offset) continue;
        ASSERT_EQ(run.frame[byte] ^ before[byte], 0x80 >> bit % 8) << bit;
        ASSERT_EQ(SumsAreRight(run.frame), repair || !covered) << bit << " " << ipv6;
      }
    }
  }
}

TEST(Events, NoBitOfThePaddingIsCorrupted) {
  Dialogue run(
      PlanOf({EventOf(ByEvery{.packets = 1},
                      CorruptPacket{.part = Part::kPayload, .bit = 0, .repair = false}, 0)}));
  EXPECT_FALSE(run.See({}).changed) << "it has no payload";
  EXPECT_EQ(run.events.counts(0).missed.Get(), 1U);
  EXPECT_TRUE(run.See({.payload = 1}).changed);
}

// Frames of a burst are parsed before the first of them is treated.
TEST(Events, AFlowThatBeginsInABurstIsKnownToTheFramesBehindIt) {
  Events events(PlanOf({EventOf(ByNumber{.number = 2, .iteration = 1}, DropPacket{}, 2),
                        EventOf(ByNumber{.number = 2, .iteration = 2}, MarkPacket{}, 2)}));
  std::vector<std::vector<uint8_t>> burst;
  for (const auto& [port, sequence] : std::initializer_list<std::pair<uint16_t, uint32_t>>{
           {40'000, 1}, {41'000, 1}, {40'000, 101}, {41'000, 101}, {41'000, 101}, {41'000, 201}}) {
    burst.push_back(FrameOf({.client_port = port, .sequence = sequence, .payload = 100}));
  }
  const std::vector<MutableFrame> frames(burst.begin(), burst.end());
  events.Begin(frames, kForward, 7);
  EXPECT_EQ(events.See(0, 2), 2U) << "before its end nothing happens";
  EXPECT_EQ(events.See(2, frames.size()), 3U);
  EXPECT_TRUE(events.Treat(3).dropped);
  EXPECT_EQ(events.See(4, frames.size()), 4U);
  EXPECT_TRUE(events.Treat(4).changed);
  EXPECT_EQ(events.See(5, frames.size()), frames.size());
  EXPECT_EQ(events.unseen(), 2U) << "those of the other flow";
  EXPECT_EQ(events.counts(1).first_ns.Get(), 7U);
}

TEST(Events, CountFramesOfFlowsForWhichThereIsNoRoom) {
  NumberedFlows flows(2);
  std::vector<uint32_t> numbers;
  for (const uint16_t port : std::initializer_list<uint16_t>{1, 2, 3, 2}) {
    const auto frame = FrameOf({.client_port = port});
    const Segment segment = Segment::Of(frame);
    const FlowKey key = segment.Key(frame);
    const NumberedFlow* flow = flows.Find(key, key.Hash(), segment);
    numbers.push_back(flow == nullptr ? 0 : flow->number);
  }
  EXPECT_THAT(numbers, ElementsAre(1, 2, 0, 2));
}

// The third packet of the second queue pair, and its first retransmission after going back N.
TEST(Events, RoceIsCountedByQueuePairAndPsn) {
  PathPlan plan = PlanOf({EventOf(ByNumber{.number = 3, .iteration = 1}, DropPacket{}, 2),
                          EventOf(ByNumber{.number = 3, .iteration = 2}, DropPacket{}, 2)});
  for (auto& event : plan.events) event.data_only = true;
  Dialogue dialogue(plan);
  EXPECT_FALSE(dialogue.DropsRoce({.queue_pair = 9, .psn = 0xffffff, .payload = 64}));
  const auto data = [](uint32_t psn) {
    return TestRoce{.queue_pair = 4, .psn = psn, .payload = 64};
  };
  EXPECT_FALSE(dialogue.DropsRoce(data(0xfffffe)));
  EXPECT_FALSE(dialogue.DropsRoce(data(0xffffff)));
  EXPECT_FALSE(dialogue.DropsRoce({.opcode = 0x11, .queue_pair = 4, .payload = 4}, kBackward));
  EXPECT_TRUE(dialogue.DropsRoce(data(0)));
  EXPECT_FALSE(dialogue.DropsRoce(data(1)));
  EXPECT_TRUE(dialogue.DropsRoce(data(0)));
  EXPECT_FALSE(dialogue.DropsRoce(data(1)));
  EXPECT_FALSE(dialogue.DropsRoce(data(0)));
}

}  // namespace
}  // namespace tester
