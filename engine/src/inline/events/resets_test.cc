// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/events/resets.h"

#include <gtest/gtest.h>

#include <vector>

#include "inline/events/events.h"
#include "inline/packets_testing.h"

namespace tester {
namespace {

class Connection {
 public:
  explicit Connection(uint64_t reset)
      : events({.name = "path",
                .first_port = 0,
                .second_port = 1,
                .watches = {{}},
                .events = {{.name = "reset",
                            .watch = 0,
                            .heading = Heading::kBoth,
                            .flow = 1,
                            .data_only = false,
                            .selection = ByNumber{.number = reset, .iteration = 1},
                            .action = ResetConnection{}}}}) {}

  Treatment See(const TestSegment& segment) {
    frame = FrameOf(segment);
    const Treatment treatment = Treat(events, frame, segment.to_client ? 1 : 0, 1);
    frame.resize(treatment.bytes);
    return treatment;
  }
  std::vector<uint8_t> Answer(size_t number) const {
    const Frame answer = events.answers()[number].frame();
    return {answer.begin(), answer.end()};
  }

  Events events;
  std::vector<uint8_t> frame;
};

uint32_t Acknowledgment(const std::vector<uint8_t>& frame) {
  return wire::Load<uint32_t>(frame.data() + Segment::Of(frame).transport + 8);
}

void ExpectReset(const std::vector<uint8_t>& frame, const TestSegment& like) {
  const Segment segment = Segment::Of(frame);
  const Segment wanted = Segment::Of(FrameOf(like));
  EXPECT_TRUE(segment.resets());
  EXPECT_TRUE(SumsAreRight(frame));
  EXPECT_EQ(segment.tcp_flags, like.flags);
  EXPECT_EQ(segment.sequence, like.sequence);
  EXPECT_EQ(Acknowledgment(frame), like.acknowledgment);
  EXPECT_EQ(segment.end, wanted.end) << "no options, no payload";
  EXPECT_EQ(frame.size(), FrameOf(like).size());
  const auto begin = static_cast<ptrdiff_t>(segment.transport);
  const auto ports = [begin](const std::vector<uint8_t>& bytes) {
    return std::vector<uint8_t>{bytes.begin() + begin, bytes.begin() + begin + 4};
  };
  EXPECT_EQ(ports(frame), ports(FrameOf(like)));
  EXPECT_EQ(segment.Key(frame), wanted.Key(FrameOf(like)));
}

TEST(Resets, AreAcceptedAtBothEnds) {
  for (const bool ipv6 : {false, true}) {
    Connection run(2);
    run.See({.sequence = 1'000, .payload = 500, .ipv6 = ipv6, .acknowledgment = 77});
    const Treatment treatment =
        run.See({.sequence = 1'500, .payload = 500, .ipv6 = ipv6, .vlan = 5, .acknowledgment = 77});
    EXPECT_TRUE(treatment.changed);
    EXPECT_TRUE(treatment.answered);
    ExpectReset(run.frame, {.sequence = 1'500,
                            .flags = kTestRst | kTestAck,
                            .ipv6 = ipv6,
                            .vlan = 5,
                            .acknowledgment = 77});
    ASSERT_EQ(run.events.answers().size(), 1U);
    ExpectReset(run.Answer(0),
                {.to_client = true, .sequence = 77, .flags = kTestRst, .ipv6 = ipv6, .vlan = 5});
    EXPECT_EQ(run.Answer(0)[5], 2) << "it goes to where the segment came from";
    EXPECT_EQ(run.Answer(0)[11], 1);
  }
}

// A packet that was under way when the segment left.
TEST(Resets, AreAcceptedWhereTheSenderHasReceivedMore) {
  Connection run(3);
  run.See({.sequence = 1'000, .payload = 500, .acknowledgment = 77});
  run.See({.to_client = true, .sequence = 77, .payload = 300, .acknowledgment = 1'500});
  run.See({.sequence = 1'500, .payload = 500, .acknowledgment = 77});
  ASSERT_EQ(run.events.answers().size(), 2U);
  EXPECT_EQ(Segment::Of(run.Answer(0)).sequence, 377U);
  EXPECT_EQ(Segment::Of(run.Answer(1)).sequence, 77U) << "if that was lost";
}

TEST(Resets, AnswerASynAsAClosedPortDoes) {
  Connection run(1);
  run.See({.sequence = 1'000, .flags = kTestSyn});
  ASSERT_EQ(run.events.answers().size(), 1U);
  ExpectReset(
      run.Answer(0),
      {.to_client = true, .sequence = 0, .flags = kTestRst | kTestAck, .acknowledgment = 1'001});
  ExpectReset(run.frame, {.sequence = 1'000, .flags = kTestRst});
}

TEST(Resets, NeedAConnection) {
  Connection run(1);
  const auto reset = run.See({.sequence = 1'000, .flags = kTestRst});
  EXPECT_FALSE(reset.changed);
  EXPECT_FALSE(reset.answered);
  EXPECT_EQ(run.events.counts(0).missed.Get(), 1U);
}

TEST(Resets, OfAFirstFragmentAreWhole) {
  Connection run(1);
  auto frame = FrameOf({.payload = 100});
  constexpr size_t kFlags = 14 + 6;
  frame[kFlags] = 0x20;  // more are to come
  frame.resize(Treat(run.events, frame, 0, 1).bytes);
  EXPECT_TRUE(Segment::Of(frame).resets());
  EXPECT_TRUE(SumsAreRight(frame));
  EXPECT_EQ(frame[kFlags], 0);
  EXPECT_EQ(run.Answer(0)[kFlags], 0);
}

TEST(Resets, FrameIsNoLongerThanItWas) {
  Connection run(1);
  auto frame = FrameOf({});
  frame.resize(54);
  EXPECT_EQ(Treat(run.events, frame, 0, 1).bytes, 54U);
  EXPECT_TRUE(SumsAreRight(frame));
}

}  // namespace
}  // namespace tester
