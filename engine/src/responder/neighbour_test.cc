// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Dialogues: requests and their answers.
#include "responder/neighbour.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "responder/learned.h"
#include "wire/arp.h"
#include "wire/checksum.h"
#include "wire/ethernet.h"
#include "wire/icmp6.h"

namespace tester {
namespace {

constexpr Mac kAsker = {2, 0, 0, 0, 0, 1};
constexpr Mac kOurs = {2, 0, 0, 0, 0, 9};

Address V4(uint8_t last) { return MakeAddress(std::array<uint8_t, 4>{192, 0, 2, last}); }

Address V6(uint8_t last) { return {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last}; }

const NeighbourTable& Table() {
  static const NeighbourTable table({{.address = V6(9), .mac = kOurs},
                                     {.address = V4(9), .mac = kOurs},
                                     {.address = V4(200), .mac = {2, 0, 0, 0, 0, 200}}});
  return table;
}

std::vector<uint8_t> Answer(const std::vector<uint8_t>& request) {
  std::vector<uint8_t> reply(kNeighbourFrameBytes);
  reply.resize(AnswerNeighbour(request, Table(), reply));
  return reply;
}

std::vector<uint8_t> Ask(const Address& address, const Address& from, uint16_t vlan = 0) {
  return AskNeighbour(
      {.address = address, .source_address = from, .source_mac = kAsker, .vlan = vlan});
}

TEST(Address, KeepsItsFamily) {
  EXPECT_TRUE(IsIpv4(V4(1)));
  EXPECT_FALSE(IsIpv4(V6(1)));
  EXPECT_EQ(AddressBytes(V4(1)).size(), 4U);
  EXPECT_EQ(AddressBytes(V6(1)).size(), 16U);
}

TEST(Neighbour, ArpRequestForOursIsAnsweredByOurMac) {
  const auto reply = Answer(Ask(V4(9), V4(1)));
  ASSERT_EQ(reply.size(), wire::kMinFrameBytes);
  const auto header = wire::Ethernet::Parse(reply);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->destination, kAsker);
  EXPECT_EQ(header->source, kOurs);
  const auto said = ReadAdvertisement(reply);
  ASSERT_TRUE(said);
  EXPECT_EQ(*said, (Neighbour{.address = V4(9), .mac = kOurs}));
}

TEST(Neighbour, AnswersCarryTheTagOfTheQuestion) {
  const auto reply = Answer(Ask(V4(9), V4(1), 42));
  const auto header = wire::Ethernet::Parse(reply);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->header_bytes, 18U);
  EXPECT_EQ(wire::Load16(reply.data() + 14), 42);
  EXPECT_TRUE(ReadAdvertisement(reply));
}

TEST(Neighbour, SolicitationForOursIsAnsweredByOurMac) {
  const auto reply = Answer(Ask(V6(9), V6(1)));
  const auto header = wire::Ethernet::Parse(reply);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->destination, kAsker);
  const auto message = wire::NeighbourMessage::Parse(Frame(reply).subspan(header->header_bytes));
  ASSERT_TRUE(message) << "with a right checksum";
  EXPECT_TRUE(message->solicited);
  EXPECT_EQ(message->destination, V6(1));
  EXPECT_EQ(ReadAdvertisement(reply), (Neighbour{.address = V6(9), .mac = kOurs}));
}

TEST(Neighbour, AnAdvertisementWithoutALinkLayerAddressIsDiscarded) {
  auto frame = Answer(Ask(V6(9), V6(1)));
  const MutableFrame packet =
      MutableFrame(frame).subspan(wire::Ethernet::Parse(frame)->header_bytes);
  constexpr size_t kMessageBytes = 24;
  frame.resize(frame.size() -
               (wire::kNeighbourPacketBytes - wire::kIpv6HeaderBytes - kMessageBytes));
  wire::Store16(packet.data() + 4, kMessageBytes);
  const MutableFrame message = packet.subspan(wire::kIpv6HeaderBytes, kMessageBytes);
  wire::Store16(message.data() + 2, 0);
  const auto ip = wire::Ipv6::Parse(packet.first(wire::kIpv6HeaderBytes + kMessageBytes));
  ASSERT_TRUE(ip);
  wire::Store16(message.data() + 2, wire::Checksum(message, ip->PseudoSum()));
  const Frame cut = packet.first(wire::kIpv6HeaderBytes + kMessageBytes);
  ASSERT_TRUE(wire::NeighbourMessage::Parse(cut)) << "well formed but for the option";
  EXPECT_FALSE(ReadAdvertisement(frame));
}

TEST(Neighbour, DuplicateAddressDetectionIsAnsweredToAllNodes) {
  const auto reply = Answer(Ask(V6(9), wire::kIpv6Unspecified));
  const auto header = wire::Ethernet::Parse(reply);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->destination, wire::MulticastMac(wire::kIpv6AllNodes));
  const auto message = wire::NeighbourMessage::Parse(Frame(reply).subspan(header->header_bytes));
  ASSERT_TRUE(message);
  EXPECT_FALSE(message->solicited);
  EXPECT_EQ(message->destination, wire::kIpv6AllNodes);
}

TEST(Neighbour, OthersAreNotAnsweredFor) {
  EXPECT_TRUE(Answer(Ask(V4(8), V4(1))).empty());
  EXPECT_TRUE(Answer(Ask(V6(8), V6(1))).empty());
}

TEST(Neighbour, AnAnnouncementIsNoQuestion) { EXPECT_TRUE(Answer(Ask(V4(9), V4(9))).empty()); }

TEST(Neighbour, AnswersAreNotAnswered) {
  EXPECT_TRUE(Answer(Answer(Ask(V4(9), V4(1)))).empty());
  EXPECT_TRUE(Answer(Answer(Ask(V6(9), V6(1)))).empty());
}

TEST(Neighbour, WhatIsCutOffIsNotAnswered) {
  for (const auto& whole : {Ask(V4(9), V4(1)), Ask(V6(9), V6(1), 5)}) {
    const auto header = wire::Ethernet::Parse(whole);
    const size_t needed =
        header->header_bytes +
        (header->type == wire::kEtherTypeArp ? wire::kArpBytes : wire::kNeighbourPacketBytes);
    for (size_t bytes = 0; bytes < needed; ++bytes) {
      EXPECT_TRUE(Answer({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(bytes)}).empty());
    }
  }
}

TEST(LearnedRing, GivesBackInOrderAndLosesWhatIsTooMuch) {
  LearnedRing ring;
  EXPECT_FALSE(ring.Pop());
  for (int i = 0; i < 300; ++i) ring.Push({.address = V4(static_cast<uint8_t>(i)), .mac = kOurs});
  for (int i = 0; i < 256; ++i) {
    const auto learned = ring.Pop();
    ASSERT_TRUE(learned);
    EXPECT_EQ(learned->address, V4(static_cast<uint8_t>(i)));
  }
  EXPECT_FALSE(ring.Pop());
}

}  // namespace
}  // namespace tester
