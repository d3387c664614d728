// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "wire/arp.h"
#include "wire/ethernet.h"
#include "wire/icmp6.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"

namespace tester::wire {
namespace {

constexpr Mac kMacA = {2, 0, 0, 0, 0, 0xa};
constexpr Mac kMacB = {2, 0, 0, 0, 0, 0xb};

std::vector<uint8_t> EthernetFrame(uint16_t vlan, uint16_t type, size_t payload) {
  std::vector<uint8_t> frame(64);
  frame.resize(WriteEthernet(frame, kMacA, kMacB, vlan, type) + payload);
  return frame;
}

TEST(Ethernet, IsReadAsItWasWritten) {
  const auto untagged = Ethernet::Parse(EthernetFrame(0, kEtherTypeArp, 10));
  ASSERT_TRUE(untagged);
  EXPECT_EQ(untagged->destination, kMacA);
  EXPECT_EQ(untagged->source, kMacB);
  EXPECT_EQ(untagged->type, kEtherTypeArp);
  EXPECT_EQ(untagged->header_bytes, 14U);
  const auto tagged = Ethernet::Parse(EthernetFrame(42, kEtherTypeIpv6, 0));
  ASSERT_TRUE(tagged);
  EXPECT_EQ(tagged->type, kEtherTypeIpv6);
  EXPECT_EQ(tagged->header_bytes, 18U);
}

TEST(Ethernet, RefusesWhatIsCutOffOrTaggedTooOften) {
  const auto frame = EthernetFrame(42, kEtherTypeIpv6, 0);
  for (size_t bytes = 0; bytes < frame.size(); ++bytes) {
    EXPECT_FALSE(Ethernet::Parse(Frame(frame).first(bytes))) << bytes;
  }
  std::vector<uint8_t> tags(64);
  for (size_t at = 12; at < 28; at += 4) Store16(tags.data() + at, kEtherTypeVlan);
  EXPECT_FALSE(Ethernet::Parse(tags));
}

TEST(Arp, IsReadAsItWasWritten) {
  const Arp arp{.operation = Arp::kReply,
                .sender_mac = kMacA,
                .sender_address = {192, 0, 2, 1},
                .target_mac = kMacB,
                .target_address = {192, 0, 2, 2}};
  std::array<uint8_t, kArpBytes> bytes{};
  arp.Write(bytes);
  const auto read = Arp::Parse(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->operation, Arp::kReply);
  EXPECT_EQ(read->sender_mac, kMacA);
  EXPECT_EQ(read->sender_address, arp.sender_address);
  EXPECT_EQ(read->target_mac, kMacB);
  EXPECT_EQ(read->target_address, arp.target_address);
  EXPECT_FALSE(Arp::Parse(Frame(bytes).first(kArpBytes - 1)));
  bytes[5] = 16;  // IPv6 addresses in ARP do not exist
  EXPECT_FALSE(Arp::Parse(bytes));
}

TEST(Ipv4, KnowsWhereThePacketEnds) {
  std::vector<uint8_t> packet(46);
  packet[0] = 0x45;
  packet[3] = 28;
  const auto view = Ipv4::Parse(packet);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->header_bytes, 20U);
  EXPECT_EQ(view->total_bytes, 28U);
}

TEST(Ipv4, RefusesLengthsThatCannotBe) {
  std::vector<uint8_t> packet(46);
  for (const auto& [first, total] : std::vector<std::pair<int, int>>{
           {0x65, 28}, {0x44, 28}, {0x45, 19}, {0x4f, 28}, {0x45, 47}}) {
    packet[0] = static_cast<uint8_t>(first);
    packet[3] = static_cast<uint8_t>(total);
    EXPECT_FALSE(Ipv4::Parse(packet)) << first << " " << total;
  }
}

NeighbourMessage Solicitation() {
  const Ipv6Address target = {0x20, 0x01, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x22, 0x33};
  return {.source = {0x20, 0x01, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
          .destination = SolicitedNode(target),
          .type = kNeighbourSolicitation,
          .solicited = false,
          .target = target,
          .link_address = kMacA};
}

TEST(Neighbour, GroupAndItsMacAreDerivedFromTheAddress) {
  const NeighbourMessage message = Solicitation();
  const Ipv6Address group = {0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0x11, 0x22, 0x33};
  EXPECT_EQ(message.destination, group);
  EXPECT_EQ(MulticastMac(group), (Mac{0x33, 0x33, 0xff, 0x11, 0x22, 0x33}));
}

TEST(Neighbour, IsReadAsItWasWritten) {
  const NeighbourMessage message = Solicitation();
  std::array<uint8_t, kNeighbourPacketBytes> bytes{};
  message.Write(bytes);
  const auto read = NeighbourMessage::Parse(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->type, kNeighbourSolicitation);
  EXPECT_EQ(read->source, message.source);
  EXPECT_EQ(read->destination, message.destination);
  EXPECT_EQ(read->target, message.target);
  EXPECT_EQ(read->link_address, kMacA);
}

TEST(Neighbour, EveryDamagedBitOfTheMessageIsSeen) {
  std::array<uint8_t, kNeighbourPacketBytes> bytes{};
  Solicitation().Write(bytes);
  for (size_t bit = kIpv6HeaderBytes * 8; bit < bytes.size() * 8; ++bit) {
    auto damaged = bytes;
    damaged[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    EXPECT_FALSE(NeighbourMessage::Parse(damaged)) << bit;
  }
}

TEST(Neighbour, RefusesWhatARouterHasForwarded) {
  std::array<uint8_t, kNeighbourPacketBytes> bytes{};
  Solicitation().Write(bytes);
  bytes[7] = 254;  // not covered by the checksum
  EXPECT_FALSE(NeighbourMessage::Parse(bytes));
}

}  // namespace
}  // namespace tester::wire
