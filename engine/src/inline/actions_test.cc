// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/actions.h"

#include <gtest/gtest.h>

#include <vector>

#include "inline/packets_testing.h"
#include "wire/bytes.h"

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
