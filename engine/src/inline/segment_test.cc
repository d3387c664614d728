// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/segment.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "inline/packets_testing.h"

namespace tester {
namespace {

TEST(Segment, KnowsWhereHeadersEnd) {
  for (const bool ipv6 : {false, true}) {
    for (const uint16_t vlan : std::initializer_list<uint16_t>{0, 7}) {
      const auto frame =
          FrameOf({.sequence = 0xfffffff0, .payload = 100, .ipv6 = ipv6, .vlan = vlan});
      const Segment segment = Segment::Of(frame);
      const size_t network = vlan == 0 ? 14 : 18;
      EXPECT_EQ(segment.network, network);
      EXPECT_EQ(segment.transport, network + (ipv6 ? 40 : 20));
      EXPECT_EQ(segment.payload, segment.transport + 20);
      EXPECT_EQ(segment.end, frame.size());
      EXPECT_EQ(segment.sequence, 0xfffffff0);
      EXPECT_EQ(segment.sequence_numbers, 100U);
      EXPECT_TRUE(segment.is_tcp());
      EXPECT_TRUE(segment.has_payload());
    }
  }
}

TEST(Segment, PaddingIsNoPayload) {
  const auto frame = FrameOf({});
  ASSERT_EQ(frame.size(), 60U);
  const Segment segment = Segment::Of(frame);
  EXPECT_EQ(segment.end, 54U);
  EXPECT_FALSE(segment.has_payload());
  EXPECT_EQ(segment.sequence_numbers, 0U);
}

TEST(Segment, SynAndFinTakeANumberEach) {
  EXPECT_EQ(Segment::Of(FrameOf({.flags = kTestSyn})).sequence_numbers, 1U);
  EXPECT_TRUE(Segment::Of(FrameOf({.flags = kTestSyn})).opens());
  EXPECT_FALSE(Segment::Of(FrameOf({.flags = kTestSyn | kTestAck})).opens());
  EXPECT_EQ(Segment::Of(FrameOf({.payload = 5, .flags = kTestAck | 1})).sequence_numbers, 6U);
}

TEST(Segment, BothDirectionsAreOneFlow) {
  for (const bool ipv6 : {false, true}) {
    const auto there = FrameOf({.ipv6 = ipv6});
    const auto back = FrameOf({.to_client = true, .ipv6 = ipv6});
    const auto other = FrameOf({.client_port = 40'001, .ipv6 = ipv6});
    const FlowKey key = Segment::Of(there).Key(there);
    EXPECT_EQ(key, Segment::Of(back).Key(back));
    EXPECT_NE(key, Segment::Of(other).Key(other));
  }
}

TEST(Segment, LaterFragmentsAreOfNoFlow) {
  auto frame = FrameOf({.payload = 40});
  frame[14 + 7] = 1;
  const Segment segment = Segment::Of(frame);
  EXPECT_TRUE(segment.has_network());
  EXPECT_FALSE(segment.has_transport());
  EXPECT_FALSE(segment.has_flow());
}

// A frame with an IPv6 fragment at this offset of its packet.
std::vector<uint8_t> Ipv6Fragment(uint16_t offset) {
  auto frame = FrameOf({.payload = 40, .ipv6 = true});
  constexpr size_t kBehind = 14 + 40;
  std::vector<uint8_t> header = {frame[14 + 6], 0, 0, 1, 0, 0, 0, 1};  // more are to come
  header[2] = static_cast<uint8_t>(offset >> 8);
  header[3] = static_cast<uint8_t>(offset | 1);
  frame[14 + 6] = 44;
  frame[14 + 5] = static_cast<uint8_t>(frame[14 + 5] + header.size());
  frame.insert(frame.begin() + kBehind, header.begin(), header.end());
  return frame;
}

TEST(Segment, FirstFragmentsOfIpv6HaveTheirPorts) {
  const auto whole = FrameOf({.payload = 40, .ipv6 = true});
  const auto first = Ipv6Fragment(0);
  const Segment segment = Segment::Of(first);
  EXPECT_TRUE(segment.has_transport());
  EXPECT_TRUE(segment.fragment_header);
  EXPECT_EQ(segment.Key(first), Segment::Of(whole).Key(whole));
  const Segment later = Segment::Of(Ipv6Fragment(64));
  EXPECT_FALSE(later.has_transport());
  EXPECT_FALSE(later.has_flow());
  EXPECT_TRUE(later.later_fragment);
}

TEST(Segment, RoceIsNumberedByPacketInEachQueuePair) {
  const Segment first = Segment::Of(RoceFrameOf({.opcode = 6, .psn = 0xffffff, .payload = 20}));
  EXPECT_EQ(first.sequence, 0xffffff00U);
  EXPECT_EQ(first.sequence_numbers, 256U);
  EXPECT_TRUE(first.has_payload());
  const Segment request = Segment::Of(RoceFrameOf({.opcode = 0x0c, .payload = 16}));
  EXPECT_EQ(request.sequence_numbers, 256U);
  EXPECT_FALSE(request.has_payload());
  for (const uint8_t opcode : std::initializer_list<uint8_t>{0x11, 0x81}) {
    const Segment answer = Segment::Of(RoceFrameOf({.opcode = opcode, .psn = 7, .payload = 4}));
    EXPECT_EQ(answer.sequence_numbers, 0U);
    EXPECT_FALSE(answer.has_payload());
  }
}

TEST(Segment, AFlowOfRoceIsAQueuePairWhateverTheSourcePorts) {
  const auto there = RoceFrameOf({.source_port = 50'000});
  const auto back = RoceFrameOf({.opcode = 0x11, .to_client = true, .source_port = 50'001});
  const auto other = RoceFrameOf({.queue_pair = 18, .source_port = 50'000});
  const FlowKey key = Segment::Of(there).Key(there);
  EXPECT_EQ(key, Segment::Of(back).Key(back));
  EXPECT_NE(key, Segment::Of(other).Key(other));
}

TEST(Segment, OfWhatIsCutShortNothingIsBelieved) {
  for (const bool ipv6 : {false, true}) {
    auto frame = FrameOf({.payload = 30, .ipv6 = ipv6});
    for (size_t bytes = 0; bytes <= frame.size(); ++bytes) {
      const Frame cut(frame.data(), bytes);
      const Segment segment = Segment::Of(cut);
      EXPECT_LE(segment.end, bytes);
      EXPECT_LE(segment.payload, segment.end);
      segment.Key(cut);
    }
    frame[ipv6 ? 14 + 4 : 14 + 2] = 0xff;  // longer than the frame
    EXPECT_FALSE(Segment::Of(frame).has_network());
  }
  auto frame = FrameOf({.payload = 30});
  frame[34 + 12] = 0xf0;  // a TCP header beyond the packet
  EXPECT_FALSE(Segment::Of(frame).is_tcp());
}

}  // namespace
}  // namespace tester
