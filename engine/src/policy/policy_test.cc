// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "policy/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>
#include <vector>

#include "base/error.h"
#include "wire/ethernet.h"

namespace tester {
namespace {

using testing::HasSubstr;

Policy Parse(const std::string& text) {
  std::istringstream stream(text);
  return ParsePolicy(stream, "policy");
}

std::string Refusal(const std::string& text) {
  try {
    Parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    return error.what();
  }
  return "not refused";
}

// 02:00:00:00:00:0B from :0A, IPv4 from 10.0.0.1 to 10.0.1.2.
std::vector<uint8_t> Ipv4Frame() {
  std::vector<uint8_t> frame(60);
  frame[0] = frame[6] = 2;
  frame[5] = 0x0b;
  frame[11] = 0x0a;
  wire::Store16(&frame[12], wire::kEtherTypeIpv4);
  frame[14] = 0x45;
  const std::vector<uint8_t> addresses = {10, 0, 0, 1, 10, 0, 1, 2};
  std::ranges::copy(addresses, frame.begin() + 26);
  return frame;
}

std::vector<uint8_t> ArpFrame(uint8_t target) {
  std::vector<uint8_t> frame(60);
  const std::vector<uint8_t> arp = {8,   6,  0, 1, 8, 0, 6, 4, 0, 1, 2, 0,  0, 0, 0,
                                    0xa, 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 10, 0, 0, target};
  std::ranges::fill_n(frame.begin(), 6, uint8_t{0xff});
  std::ranges::copy(arp, frame.begin() + 12);
  return frame;
}

std::vector<uint8_t> Ipv6Frame(uint8_t next_header) {
  std::vector<uint8_t> frame(86);
  wire::Store16(&frame[12], wire::kEtherTypeIpv6);
  frame[14] = 0x60;
  frame[20] = next_header;
  frame[22] = 0xfd;  // fd00::1 to fd00::2
  frame[37] = 1;
  frame[38] = 0xfd;
  frame[53] = 2;
  return frame;
}

TEST(Policy, IsReadLineByLine) {
  const Policy policy = Parse(
      "# a laboratory\n"
      "client alice run\n"
      "client root admin  # and nobody else\n"
      "\n"
      "destination 10.0.0.0/8\n"
      "rate p1 1000 pps\n"
      "rate p1 8000000 bps\n"
      "rate * 5 pps\n"
      "paths allow\n");
  EXPECT_EQ(policy.clients.at("alice"), Role::kRun);
  EXPECT_EQ(policy.clients.at("root"), Role::kAdmin);
  EXPECT_EQ(policy.RateOf("p1").packets, 1000);
  EXPECT_EQ(policy.RateOf("p1").bits, 8'000'000);
  EXPECT_EQ(policy.RateOf("p2").packets, 5);
  EXPECT_EQ(policy.RateOf("p2").bits, std::nullopt);
  EXPECT_TRUE(policy.paths);
  EXPECT_TRUE(policy.addresses.LimitsAny());
}

TEST(Policy, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(Refusal("paths allow\nclient bob king\n"),
              HasSubstr("--policy policy, line 2: role \"king\"; allowed are observe, run, admin"));
  EXPECT_THAT(Refusal("client bob run\nclient bob admin"), HasSubstr("\"bob\" is given twice"));
  EXPECT_THAT(Refusal("rate p1 0 pps"), HasSubstr("whole numbers above 0 with pps or bps"));
  EXPECT_THAT(Refusal("rate p1 1 pps\nrate p1 2 pps"), HasSubstr("given twice"));
  EXPECT_THAT(Refusal("destination 10.0.0.1/8"), HasSubstr("is no address"));
  EXPECT_THAT(Refusal("destination 10.0.0.0/33"), HasSubstr("is no address"));
  EXPECT_THAT(Refusal("source 10.0.0.9-10.0.0.1"), HasSubstr("is no address"));
  EXPECT_THAT(Refusal("allow everything"), HasSubstr("\"allow\" with 1 word(s) behind it"));
  EXPECT_THAT(Refusal("# nothing\n"), HasSubstr("has no rules"));
}

TEST(Policy, AFileThatOthersCanChangeIsRefused) {
  const std::string path = testing::TempDir() + "/policy";
  std::ofstream(path) << "paths allow\n";
  ::chmod(path.c_str(), 0622);
  EXPECT_THROW(ReadPolicy(path), Error);
  ::chmod(path.c_str(), 0644);
  EXPECT_TRUE(ReadPolicy(path).paths);
  EXPECT_THROW(ReadPolicy(path + "-none"), Error);
}

TEST(AddressRules, WithoutAnyEverythingMayBeSent) {
  EXPECT_TRUE(AddressRules().Allows(Ipv4Frame()));
  EXPECT_TRUE(AddressRules().Allows(std::vector<uint8_t>(60)));
}

TEST(AddressRules, EachSideHasItsAddresses) {
  const AddressRules rules = Parse("source 10.0.0.0/24\ndestination 10.0.1.2").addresses;
  auto frame = Ipv4Frame();
  EXPECT_TRUE(rules.Allows(frame));
  frame[33] = 3;
  EXPECT_THAT(
      rules.Objection(frame),
      HasSubstr("destination IPv4 address 10.0.1.3 may not be sent; the policy of this tester "
                "allows 10.0.1.2"));
  frame[33] = 2;
  frame[28] = 1;
  EXPECT_THAT(rules.Objection(frame), HasSubstr("source IPv4 address 10.0.1.1"));
}

TEST(AddressRules, TagsAreSkipped) {
  const AddressRules rules = Parse("destination 10.0.2.0/24").addresses;
  auto frame = Ipv4Frame();
  const std::vector<uint8_t> tag = {0x81, 0, 0, 5};
  frame.insert(frame.begin() + 12, tag.begin(), tag.end());
  EXPECT_THAT(rules.Objection(frame), HasSubstr("10.0.1.2"));
  for (int i = 0; i < 9; ++i) frame.insert(frame.begin() + 12, tag.begin(), tag.end());
  EXPECT_THAT(rules.Objection(frame), HasSubstr("VLAN tags"));
}

// Packets behind headers that a device removes: `others allow` does not cover them.
TEST(AddressRules, NothingBetweenEthernetAndAPacketHidesIt) {
  const AddressRules rules = Parse("destination 10.0.2.0/24\nothers allow").addresses;
  const std::vector<std::vector<uint8_t>> hidden = {
      {0x92, 0, 0, 5, 8, 0},                  // tags of old
      {0x93, 0, 0, 5, 8, 0},                  //
      {0, 54, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0},  // SNAP
      {0, 54, 0xab, 0xab, 0x13, 0, 0, 0, 8, 0},
      {0, 54, 0xaa, 0xaa, 3, 0, 0, 0xf8, 8, 0},
      {0, 54, 6, 6, 3},  // IP over LLC
      {0x81, 0, 0, 5, 0, 54, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0},
      {0x88, 0x47, 0, 1, 1, 64},                    // MPLS, with one label and with two
      {0x88, 0x48, 0, 1, 0, 64, 0, 2, 1, 64},       //
      {0x88, 0x64, 0x11, 0, 0, 1, 0, 48, 0, 0x21},  // PPPoE
  };
  for (const auto& header : hidden) {
    auto frame = Ipv4Frame();
    frame.erase(frame.begin() + 12, frame.begin() + 14);
    frame.insert(frame.begin() + 12, header.begin(), header.end());
    EXPECT_THAT(rules.Objection(frame), HasSubstr("destination IPv4 address 10.0.1.2"));
    EXPECT_TRUE(Parse("destination 10.0.1.0/24").addresses.Allows(frame));
    // By these bits it is known: no editor may change them.
    const size_t type = 12 + header.size() - (header[0] == 0x88 && header[1] != 0x64 ? 0 : 2);
    const FrameAddresses found = FrameAddresses::Of(frame);
    EXPECT_TRUE(std::ranges::any_of(found.structure(), [&](const BitSpan& span) {
      return span.begin <= 8 * type && 8 * type < span.end;
    }));
  }
  auto frame = Ipv4Frame();
  const std::vector<uint8_t> labels = {0x88, 0x47, 0, 1, 0, 64, 0, 2, 0, 64};
  frame.resize(14);
  std::ranges::copy(labels, frame.insert(frame.begin() + 12, labels.size(), 0));
  EXPECT_THAT(rules.Objection(frame), HasSubstr("MPLS labels do not end"));
  const std::vector<uint8_t> echo = {0x88, 0x47, 0, 1, 1, 64, 0x10, 0, 0, 0};
  frame.assign(60, 0);
  std::ranges::copy(echo, frame.begin() + 12);
  EXPECT_THAT(rules.Objection(frame), HasSubstr("MPLS labels carry what is no packet of IP"));
}

TEST(AddressRules, WhatCarriesPacketsUnseenIsNoOther) {
  const AddressRules rules = Parse("others allow").addresses;
  const std::vector<std::vector<uint8_t>> carriers = {
      {0x88, 0xe5},
      {0x88, 0xe7},
      {0x22, 0xf3},
      {0x89, 0x4f},
      {0x89, 0x3f, 0, 1, 0, 2, 0, 0},  // a tag of IEEE 802.1BR
      {0x89, 0x26, 0, 1, 0, 2},        // VN-Tag
      {0x89, 0x3b, 0, 1, 0x89, 0x3b, 0, 2},
      {0xda, 0xda, 0, 0, 0x40, 0, 0, 1, 0, 0},
      {0x65, 0x58},
      {0x43, 0x05},
      {0x88, 0x99, 4, 0, 0, 2, 0, 4},  // a tag of a switch chip of Realtek
      {0x65, 0x59},
      {0xa0, 0xed},
      {0, 54, 0xaa, 0xaa, 3, 0, 0x80, 0xc2, 0, 7},
      {0x88, 0x64, 0x11, 0, 0, 1, 0, 48, 0, 0x31},  // bridged over PPP (RFC 3518)
      {0x88, 0x64, 0x11, 0, 0, 1, 0, 48, 0x21},     // with a protocol of one byte (RFC 1661)
  };
  for (const auto& type : carriers) {
    auto frame = Ipv4Frame();
    frame.insert(frame.begin() + 12, type.begin(), type.end());
    EXPECT_THAT(rules.Objection(frame), HasSubstr("carries packets"));
  }
  auto control = Ipv4Frame();  // LCP brings PPP up, and carries nothing
  const std::vector<uint8_t> lcp = {0x88, 0x64, 0x11, 0, 0, 1, 0, 48, 0xc0, 0x21};
  control.insert(control.begin() + 12, lcp.begin(), lcp.end());
  EXPECT_TRUE(rules.Allows(control));
}

TEST(AddressRules, OtherFamiliesAndFramesNeedRulesOfTheirs) {
  const AddressRules rules = Parse("destination 10.0.0.0/8").addresses;
  EXPECT_THAT(rules.Objection(Ipv6Frame(17)),
              HasSubstr("fd00::2 may not be sent; the policy of this "
                        "tester allows none of this family"));
  EXPECT_THAT(rules.Objection(std::vector<uint8_t>(60)), HasSubstr("neither IPv4, IPv6 nor ARP"));
  EXPECT_TRUE(
      Parse("destination 10.0.0.0/8\nothers allow").addresses.Allows(std::vector<uint8_t>(60)));
}

TEST(AddressRules, MacAddressesAreRulesOfTheirOwn) {
  const AddressRules rules = Parse("destination 02:00:00:00:00:00/40").addresses;
  EXPECT_TRUE(rules.Allows(Ipv4Frame()));
  EXPECT_TRUE(rules.AllowsOthers());
  auto frame = Ipv4Frame();
  frame[4] = 1;
  EXPECT_THAT(rules.Objection(frame), HasSubstr("destination MAC address 02:00:00:00:01:0b"));
}

TEST(AddressRules, ArpAsksAllowedTargetsForAllowedSenders) {
  const AddressRules rules = Parse("source 10.0.0.1\ndestination 10.0.0.2").addresses;
  EXPECT_TRUE(rules.Allows(ArpFrame(2)));
  EXPECT_THAT(rules.Objection(ArpFrame(3)), HasSubstr("target's address in ARP 10.0.0.3"));
  EXPECT_TRUE(rules.Allows(ArpFrame(1))) << "it is announced";
}

TEST(AddressRules, SolicitationsAreKnownByTheirTargets) {
  const AddressRules rules = Parse("source fd00::1\ndestination fd00::2").addresses;
  auto frame = Ipv6Frame(58);
  EXPECT_TRUE(rules.Allows(frame));
  const std::vector<uint8_t> group = {0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0, 0, 2};
  std::ranges::copy(group, frame.begin() + 38);
  EXPECT_THAT(rules.Objection(frame), HasSubstr("ff02::1:ff00:2"));
  frame[54] = 135;
  frame[62] = 0xfd;
  frame[77] = 2;
  EXPECT_EQ(rules.Objection(frame), "");
  frame[77] = 3;
  EXPECT_THAT(rules.Objection(frame), HasSubstr("target of the solicitation fd00::3"));
}

// Hosts send to the address in the option and ignore the Ethernet header.
TEST(AddressRules, NeighbourDiscoveryClaimsNoAddressOfOthers) {
  const AddressRules rules = Parse("source 02:00:00:00:00:0a").addresses;
  struct Message {
    int type;
    size_t options;
  };
  for (const auto& [type, options] :
       {Message{133, 8}, Message{134, 16}, Message{135, 24}, Message{136, 24}, Message{137, 40}}) {
    for (const int option : {1, 2}) {
      auto frame = Ipv6Frame(58);
      frame.resize(128);
      frame[6] = 2;
      frame[11] = 0x0a;
      frame[54] = static_cast<uint8_t>(type);
      uint8_t* other = &frame[54 + options];  // an option before it
      other[0] = 14;
      other[1] = 1;
      uint8_t* address = other + 8;
      address[0] = static_cast<uint8_t>(option);
      address[1] = 1;
      address[2] = 2;
      address[7] = 0x0a;
      EXPECT_EQ(rules.Objection(frame), "") << type;
      address[7] = 0x0b;
      EXPECT_THAT(rules.Objection(frame),
                  HasSubstr("link-layer address in neighbour discovery 02:00:00:00:00:0b"))
          << type;
      const FrameAddresses found = FrameAddresses::Of(frame);
      const auto at = static_cast<uint32_t>(8 * (address - frame.data()));
      EXPECT_TRUE(std::ranges::any_of(found.structure(), [&](const BitSpan& span) {
        return span.begin <= at && at + 16 <= span.end;
      }));
      frame[54] = 128;  // an echo request, whose data is arbitrary
      EXPECT_EQ(rules.Objection(frame), "");
    }
  }
  auto frame = Ipv6Frame(58);
  frame.resize(200);
  frame[6] = 2;
  frame[11] = 0x0a;
  frame[54] = 136;
  for (size_t at = 78; at < frame.size(); at += 8) {
    frame[at] = 14;
    frame[at + 1] = 1;
  }
  EXPECT_THAT(rules.Objection(frame), HasSubstr("options of neighbour discovery do not end"));
  for (size_t at = 78; at < 110; at += 8) {
    frame[at] = 2;
    frame[at + 2] = 2;
    frame[at + 7] = 0x0a;
  }
  EXPECT_THAT(rules.Objection(frame), HasSubstr("options of neighbour discovery do not end"));
}

TEST(AddressRules, PacketsThatGoElsewhereThanTheySayAreRefused) {
  const AddressRules rules = Parse("destination 10.0.0.0/8\ndestination fd00::/16").addresses;
  auto frame = Ipv4Frame();
  frame[14] = 0x47;
  frame[34] = 1;    // no operation
  frame[35] = 131;  // loose source route
  EXPECT_THAT(rules.Objection(frame), HasSubstr("source route"));
  frame[35] = 7;  // record route
  frame[36] = 7;
  EXPECT_TRUE(rules.Allows(frame));
  EXPECT_TRUE(rules.Allows(Ipv6Frame(17)));
  EXPECT_THAT(rules.Objection(Ipv6Frame(43)), HasSubstr("routing header"));
  auto hidden = Ipv6Frame(60);
  hidden[54] = 43;
  EXPECT_THAT(rules.Objection(hidden), HasSubstr("routing header"));
}

TEST(AddressRules, NoExtensionHeaderHidesWhatFollowsIt) {
  const AddressRules rules = Parse("source fd00::/16\ndestination fd00::/16").addresses;
  for (const int header : {0, 44, 51, 60, 135, 139, 140}) {
    auto frame = Ipv6Frame(static_cast<uint8_t>(header));
    frame[54] = 43;
    EXPECT_THAT(rules.Objection(frame), HasSubstr("routing header")) << header;
    frame[54] = 17;
    EXPECT_EQ(rules.Objection(frame), "") << header;
    frame.resize(100);
    frame[54] = 58;
    frame[62] = 136;
    frame[70] = 0x20;
    EXPECT_THAT(rules.Objection(frame), HasSubstr("target of the advertisement 2000::")) << header;
    frame.resize(55);
    EXPECT_THAT(rules.Objection(frame), HasSubstr("headers that do not end")) << header;
  }
  auto later = Ipv6Frame(44);
  later[54] = 43;  // the next header of its first fragment
  later[57] = 1 << 3;
  EXPECT_EQ(rules.Objection(later), "");
}

TEST(AddressRules, HeadersThatAreCutShortAreRefused) {
  const AddressRules rules = Parse("destination 10.0.0.0/8").addresses;
  auto frame = Ipv4Frame();
  frame.resize(30);
  EXPECT_FALSE(rules.Allows(frame));
  frame = Ipv4Frame();
  frame[14] = 0x44;
  EXPECT_FALSE(rules.Allows(frame));
}

}  // namespace
}  // namespace tester
