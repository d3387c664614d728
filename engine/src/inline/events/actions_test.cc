// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/events/actions.h"

#include <gtest/gtest.h>

#include <vector>

#include "inline/packets_testing.h"
#include "wire/bth.h"
#include "wire/bytes.h"
#include "wire/checksum.h"
#include "wire/icrc.h"
#include "wire/ipv4.h"

namespace tester {
namespace {

constexpr size_t kIp = 14;

bool RewriteIn(std::vector<uint8_t>& frame, const RewritePacket& rewrite) {
  return Rewrite(frame, Segment::Of(frame), rewrite);
}

RewritePacket Window(std::vector<uint8_t> value, bool repair = true) {
  return {.part = Part::kTransport,
          .ip_version = 0,
          .protocol = 6,
          .offset = 14,
          .mask = {0xff, 0xff},
          .value = std::move(value),
          .repair = repair};
}

// A RoCEv2 packet with a right ICRC, and the offset of the ICRC.
struct Sound {
  Sound() : frame(RoceFrameOf({.payload = 64})), segment(Segment::Of(frame)) {
    wire::SetIcrc(frame.data(), segment.network, segment.transport, at());
  }
  size_t at() const { return segment.end - wire::kIcrcBytes; }
  bool IsRight() const {
    return wire::HasRightIcrc(frame.data(), segment.network, segment.transport, at());
  }

  std::vector<uint8_t> frame;
  Segment segment;
};

TEST(Corrupt, RepairsTheIcrc) {
  for (const bool repair : {false, true}) {
    Sound packet;
    const CorruptPacket bit{.part = Part::kPayload, .bit = 8 * 20, .repair = repair};
    EXPECT_TRUE(Corrupt(packet.frame, packet.segment, bit));
    EXPECT_EQ(packet.IsRight(), repair);
  }
  Sound packet;
  const auto bit = static_cast<uint32_t>((packet.at() + 1) * 8);
  EXPECT_FALSE(
      Corrupt(packet.frame, packet.segment, {.part = Part::kFrame, .bit = bit, .repair = true}))
      << "it is of the ICRC itself";
  EXPECT_TRUE(packet.IsRight());
  EXPECT_TRUE(
      Corrupt(packet.frame, packet.segment, {.part = Part::kFrame, .bit = bit, .repair = false}));
  EXPECT_TRUE(Corrupt(packet.frame, packet.segment,
                      {.part = Part::kPayload, .bit = 8 * 20, .repair = true}));
  EXPECT_FALSE(packet.IsRight()) << "a wrong one stays wrong";
}

TEST(Corrupt, RepairsTheIcrcWithinTheChecksumOfUdp) {
  Sound packet;
  uint8_t* const udp = packet.frame.data() + packet.segment.transport;
  const Frame datagram(udp, packet.segment.end - packet.segment.transport);
  const uint64_t pseudo =
      wire::Sum({packet.frame.data() + kIp + 12, 8}) + wire::kProtocolUdp + datagram.size();
  wire::Store16(udp + kUdpSumOffset, wire::Checksum(datagram, pseudo));
  wire::Store16(packet.frame.data() + kIp + 10, wire::Checksum({packet.frame.data() + kIp, 20}));
  ASSERT_TRUE(SumsAreRight(packet.frame));
  EXPECT_TRUE(Corrupt(packet.frame, packet.segment,
                      {.part = Part::kPayload, .bit = 8 * 20, .repair = true}));
  EXPECT_TRUE(packet.IsRight());
  EXPECT_TRUE(SumsAreRight(packet.frame));
}

TEST(Rewrite, RepairsTheIcrc) {
  for (const bool repair : {false, true}) {
    Sound packet;
    const RewritePacket psn{.part = Part::kTransport,
                            .ip_version = 0,
                            .protocol = wire::kProtocolUdp,
                            .offset = 8 + 11,
                            .mask = {0xff},
                            .value = {9},
                            .repair = repair};
    EXPECT_TRUE(Rewrite(packet.frame, packet.segment, psn));
    EXPECT_EQ(packet.IsRight(), repair);
  }
}

TEST(Rewrite, SetsAFieldAndRepairsChecksums) {
  for (const bool ipv6 : {false, true}) {
    for (const bool repair : {false, true}) {
      auto frame = FrameOf({.payload = 31, .ipv6 = ipv6});
      const size_t window = Segment::Of(frame).transport + 14;
      ASSERT_TRUE(RewriteIn(frame, Window({0x12, 0x34}, repair)));
      EXPECT_EQ(wire::Load16(frame.data() + window), 0x1234);
      EXPECT_EQ(SumsAreRight(frame), repair);
    }
  }
}

TEST(Rewrite, AddressesAreInBothChecksums) {
  auto frame = FrameOf({.payload = 31});
  const RewritePacket source{.part = Part::kNetwork,
                             .ip_version = 4,
                             .protocol = 0,
                             .offset = 12,
                             .mask = {0xff, 0xff, 0xff, 0xff},
                             .value = {192, 0, 2, 1},
                             .repair = true};
  EXPECT_TRUE(RewriteIn(frame, source));
  EXPECT_EQ(frame[kIp + 12], 192);
  EXPECT_TRUE(SumsAreRight(frame));
  auto ipv6 = FrameOf({.payload = 31, .ipv6 = true});
  EXPECT_FALSE(RewriteIn(ipv6, source)) << "it is not IPv4";
}

TEST(Rewrite, LeavesTheOtherBits) {
  auto frame = FrameOf({});
  frame[kIp + 1] = 0xb8;
  const RewritePacket dscp{.part = Part::kFrame,
                           .ip_version = 0,
                           .protocol = 0,
                           .offset = kIp + 1,
                           .mask = {0x03},
                           .value = {0x02},
                           .repair = false};
  EXPECT_TRUE(RewriteIn(frame, dscp));
  EXPECT_EQ(frame[kIp + 1], 0xba);
}

TEST(Rewrite, NeedsTheHeaderAndRoomInThePacket) {
  auto frame = FrameOf({});
  auto udp = Window({0, 0});
  udp.protocol = 17;
  EXPECT_FALSE(RewriteIn(frame, udp));
  auto behind = Window({0, 0});
  behind.offset = 19;
  EXPECT_FALSE(RewriteIn(frame, behind)) << "its second byte is padding";
  auto checksum = Window({0, 0});
  checksum.offset = 16;
  EXPECT_FALSE(RewriteIn(frame, checksum)) << "it would be repaired";
  checksum.repair = false;
  EXPECT_TRUE(RewriteIn(frame, checksum));
  EXPECT_FALSE(SumsAreRight(frame));
  std::vector<uint8_t> arp(60);
  EXPECT_FALSE(RewriteIn(arp, Window({0, 0})));
}

}  // namespace
}  // namespace tester
