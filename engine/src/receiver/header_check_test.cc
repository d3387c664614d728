// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "receiver/header_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "wire/ethernet.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"
#include "wire/signature.h"

namespace tester {
namespace {

using wire::BitOf;
using wire::HeaderFault;
using wire::HeaderFaults;
using Bytes = std::vector<uint8_t>;

constexpr size_t kIp = 14;
constexpr size_t kUdp = 34;
constexpr size_t kPayload = 42;
constexpr size_t kVersionBit = (kIp + 4) * 8;  // of the identification

void Update(Bytes& frame, const wire::CoveredSum& sum) {
  wire::Store16(frame.data() + sum.offset, 0);
  uint64_t total = sum.constant;
  for (const wire::Bytes& bytes : sum.covered) {
    total += wire::Sum(Frame(frame).subspan(bytes.begin, bytes.size));
  }
  uint16_t checksum = wire::Negative(total);
  if (checksum == 0 && sum.may_be_left_out) checksum = 0xffff;
  wire::Store16(frame.data() + sum.offset, checksum);
}

// The inner ones first: the outer ones cover them.
void UpdateChecksums(Bytes& frame) {
  const wire::HeaderWalk walk(frame, frame.size());
  for (size_t i = walk.sums().size(); i-- > 0;) Update(frame, walk.sums()[i]);
}

Bytes Counting(size_t bytes) {
  Bytes payload(bytes);
  for (size_t i = 0; i < bytes; ++i) payload[i] = static_cast<uint8_t>(i);
  return payload;
}

Bytes Joined(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Bytes Ethernet(uint16_t type, uint16_t vlan = 0) {
  Bytes header(vlan == 0 ? 14 : 18);
  wire::WriteEthernet(header, {2, 0, 0, 0, 0, 2}, {2, 0, 0, 0, 0, 1}, vlan, type);
  return header;
}

Bytes Ipv4(uint8_t protocol, const Bytes& body) {
  Bytes header(20);
  header[0] = 0x45;
  wire::Store16(header.data() + 2, static_cast<uint16_t>(20 + body.size()));
  header[8] = 64;
  header[9] = protocol;
  wire::Store(header.data() + 12, uint32_t{0xc6120102});
  wire::Store(header.data() + 16, uint32_t{0xc6130102});
  return Joined({header, body});
}

Bytes Ipv6(uint8_t next, const Bytes& body) {
  Bytes header(40);
  header[0] = 0x60;
  wire::Store16(header.data() + 4, static_cast<uint16_t>(body.size()));
  header[6] = next;
  header[7] = 64;
  header[23] = 1;
  header[39] = 2;
  return Joined({header, body});
}

Bytes Udp(const Bytes& payload, uint16_t port = 7) {
  Bytes header(8);
  wire::Store16(header.data(), 1024);
  wire::Store16(header.data() + 2, port);
  wire::Store16(header.data() + 4, static_cast<uint16_t>(8 + payload.size()));
  return Joined({header, payload});
}

Bytes Right(Bytes frame) {
  UpdateChecksums(frame);
  return frame;
}

Bytes UdpFrame(size_t bytes = 128) {
  return Right(Joined(
      {Ethernet(wire::kEtherTypeIpv4), Ipv4(wire::kProtocolUdp, Udp(Counting(bytes - kPayload)))}));
}

Bytes Vxlan(uint8_t id, const Bytes& inner) {
  return Joined({{0x08, 0, 0, 0, 0, 0, id, 0}, inner});
}

Bytes VxlanFrame() {
  const Bytes inner =
      Joined({Ethernet(wire::kEtherTypeIpv4), Ipv4(wire::kProtocolUdp, Udp(Counting(100)))});
  return Right(Joined(
      {Ethernet(wire::kEtherTypeIpv4), Ipv4(wire::kProtocolUdp, Udp(Vxlan(42, inner), 4789))}));
}

std::vector<uint8_t> All(const Bytes& sent, size_t headers = kPayload) {
  return std::vector<uint8_t>(std::min(headers, sent.size()), 0xff);
}

// Bits that a router leaves unchanged.
std::vector<uint8_t> Routed(const Bytes& sent, size_t headers = kPayload) {
  std::vector<uint8_t> kept = All(sent, headers);
  std::fill_n(kept.begin(), 12, uint8_t{0});
  for (const size_t at : {kIp + 1, kIp + 8, kIp + 10, kIp + 11}) kept[at] = 0;
  return kept;
}

struct Case {
  std::string name;
  std::function<void(Bytes&)> damage;
  HeaderFaults found;
  bool by_itself;  // it disagrees with itself, so that a translator is not excused either
};

HeaderFaults FaultsIn(const HeaderCheck& check, const Bytes& frame) {
  const HeaderFaults faults = check.Faults(frame, frame.size());
  // The quick and the thorough check agree.
  EXPECT_EQ(check.Passes(frame.data()), faults == wire::kNoFaults);
  return faults;
}

const std::vector<Case>& Damages() {
  static const std::vector<Case> cases = {
      {"UDP checksum", [](Bytes& f) { f[kUdp + 6] ^= 1; }, BitOf(HeaderFault::kUdpChecksum), true},
      {"no UDP checksum", [](Bytes& f) { f[kUdp + 6] = f[kUdp + 7] = 0; },
       BitOf(HeaderFault::kUdpChecksum), true},
      {"IPv4 checksum", [](Bytes& f) { f[kIp + 11] ^= 1; }, BitOf(HeaderFault::kIpv4Checksum),
       true},
      {"TTL 0",
       [](Bytes& f) {
         f[kIp + 8] = 0;
         UpdateChecksums(f);
       },
       BitOf(HeaderFault::kTtl), true},
      {"UDP length", [](Bytes& f) { f[kUdp + 5] -= 2; }, BitOf(HeaderFault::kUdpLength), true},
      {"IP length",
       [](Bytes& f) {
         f[kIp + 3] += 2;
         Update(f, wire::HeaderWalk(f, f.size()).sums()[0]);
       },
       BitOf(HeaderFault::kIpLength), true},
      {"destination without checksums", [](Bytes& f) { f[kIp + 19] ^= 1; },
       BitOf(HeaderFault::kIpAddresses) | BitOf(HeaderFault::kIpv4Checksum) |
           BitOf(HeaderFault::kUdpChecksum),
       true},
      {"destination with checksums",
       [](Bytes& f) {
         f[kIp + 19] ^= 1;
         UpdateChecksums(f);
       },
       BitOf(HeaderFault::kIpAddresses), false},
      {"port with checksum",
       [](Bytes& f) {
         f[kUdp + 3] ^= 1;
         UpdateChecksums(f);
       },
       BitOf(HeaderFault::kUdpPorts), false},
      {"EtherType", [](Bytes& f) { f[12] = 0x12; }, BitOf(HeaderFault::kEtherType), false},
  };
  return cases;
}

TEST(HeaderCheck, EachDamageIsFoundWhateverTheDeviceIs) {
  const Bytes sent = UdpFrame();
  const HeaderCheck bridged(sent, {.kept = All(sent)}, kPayload);
  const HeaderCheck routed(sent, {.kept = Routed(sent)}, kPayload);
  const HeaderCheck translated(sent, {}, kPayload);
  for (const HeaderCheck* check : {&bridged, &routed, &translated}) {
    EXPECT_EQ(FaultsIn(*check, sent), wire::kNoFaults);
  }
  for (const Case& damage : Damages()) {
    Bytes seen = sent;
    damage.damage(seen);
    EXPECT_EQ(FaultsIn(bridged, seen) & damage.found, damage.found) << damage.name;
    EXPECT_NE(FaultsIn(routed, seen), wire::kNoFaults) << damage.name;
    EXPECT_EQ(translated.Faults(seen, seen.size()) != wire::kNoFaults, damage.by_itself)
        << damage.name;
  }
}

TEST(HeaderCheck, OnlyARouterChangesMacsAndHopCounts) {
  const Bytes sent = UdpFrame();
  Bytes seen = sent;
  seen[0] ^= 4;
  seen[6] ^= 4;
  seen[kIp + 8] -= 1;
  seen[kIp + 1] = 0xb8;
  UpdateChecksums(seen);
  EXPECT_EQ(FaultsIn(HeaderCheck(sent, {.kept = Routed(sent)}, kPayload), seen), wire::kNoFaults);
  EXPECT_EQ(FaultsIn(HeaderCheck(sent, {.kept = All(sent)}, kPayload), seen),
            BitOf(HeaderFault::kMacAddresses) | BitOf(HeaderFault::kTtl) |
                BitOf(HeaderFault::kIpv4Header));
}

TEST(HeaderCheck, WhateverALegalRouterDoesIsNoDamage) {
  std::mt19937 random(1);
  const auto byte = [&] { return static_cast<uint8_t>(random()); };
  for (int round = 0; round < 2000; ++round) {
    Bytes sent = UdpFrame(60 + random() % 200);
    for (size_t at = kIp + 12; at < kUdp + 4; ++at) sent[at] = byte();
    sent[kIp + 5] = byte();
    sent[kIp + 8] = static_cast<uint8_t>(2 + random() % 254);
    UpdateChecksums(sent);
    HeaderRules rules{.kept = Routed(sent), .changes = {}, .updated_checksums = {}};
    rules.changes = {{{kVersionBit, kVersionBit + 1}},
                     {{(kIp + 12) * 8, (kIp + 16) * 8}},
                     {{(kIp + 10) * 8, (kIp + 12) * 8}},
                     {{(kUdp + 6) * 8, (kUdp + 8) * 8}}};
    rules.updated_checksums = {kIp + 10, kUdp + 6};
    const HeaderCheck check(sent, rules, kPayload);
    // Edited like the generator does.
    Bytes seen = sent;
    for (size_t at = kIp + 12; at < kIp + 16; ++at) seen[at] = byte();
    if (random() % 2 != 0) seen[kIp + 4] ^= 0x80;
    UpdateChecksums(seen);
    // Forwarded like a router does: RFC 1624, equation 3.
    for (size_t at = 0; at < 12; ++at) seen[at] = byte();
    const uint16_t before = wire::Load16(&seen[kIp + 8]);
    seen[kIp + 8] -= 1;
    const uint64_t sum = uint64_t{wire::Negative(wire::Load16(&seen[kIp + 10]))} +
                         wire::Negative(before) + wire::Load16(&seen[kIp + 8]);
    wire::Store16(&seen[kIp + 10], wire::Negative(sum));
    ASSERT_EQ(FaultsIn(check, seen), wire::kNoFaults) << round;
    seen[kUdp + 6 + random() % 2] ^= static_cast<uint8_t>(1 << random() % 8);
    ASSERT_EQ(FaultsIn(check, seen), BitOf(HeaderFault::kUdpChecksum)) << round;
  }
}

TEST(HeaderCheck, AnEditedFieldKeepsItsChecksumsRight) {
  const Bytes sent = UdpFrame();
  const HeaderCheck check(
      sent,
      {.kept = All(sent),
       .changes = {{{(kUdp + 2) * 8, (kUdp + 4) * 8}}, {{(kUdp + 6) * 8, (kUdp + 8) * 8}}},
       .updated_checksums = {kUdp + 6}},
      kPayload);
  Bytes seen = sent;
  seen[kUdp + 3] ^= 1;
  EXPECT_EQ(FaultsIn(check, seen), BitOf(HeaderFault::kUdpChecksum));
  UpdateChecksums(seen);
  EXPECT_EQ(FaultsIn(check, seen), wire::kNoFaults);
  seen[kUdp + 6] = seen[kUdp + 7] = 0;
  EXPECT_EQ(FaultsIn(check, seen), BitOf(HeaderFault::kUdpChecksum)) << "which was sent";
}

TEST(HeaderCheck, WhatWasSentWrongIsNotTheDevicesFault) {
  Bytes sent = UdpFrame();
  sent[kUdp + 6] ^= 1;
  const HeaderCheck translated(sent, {}, kPayload);
  EXPECT_EQ(FaultsIn(translated, sent), wire::kNoFaults);
  const HeaderCheck bridged(sent, {.kept = All(sent)}, kPayload);
  EXPECT_EQ(FaultsIn(bridged, sent), wire::kNoFaults);
  EXPECT_EQ(FaultsIn(bridged, UdpFrame()), BitOf(HeaderFault::kUdpChecksum)) << "it is another one";
}

TEST(HeaderCheck, AChangeThatUpdatesNoChecksumLeavesThoseWrongThatCoverIt) {
  const Bytes sent = UdpFrame();
  const HeaderCheck check(
      sent,
      {.kept = All(sent),
       .changes = {{{kUdp * 8, kUdp * 8 + 16}, false}, {{(kUdp + 6) * 8, (kUdp + 8) * 8}}},
       .updated_checksums = {kUdp + 6}},
      kPayload);
  Bytes seen = sent;
  seen[kUdp] ^= 1;
  EXPECT_EQ(FaultsIn(check, seen), wire::kNoFaults);
  seen[kIp + 8] -= 1;
  EXPECT_NE(FaultsIn(check, seen), wire::kNoFaults);
}

TEST(HeaderCheck, AChecksumThatDoesNotFollowAnEditedFieldSaysNothing) {
  const Bytes sent = UdpFrame();
  const HeaderCheck check(sent, {.kept = All(sent), .changes = {{{kUdp * 8, kUdp * 8 + 16}}}},
                          kPayload);
  Bytes seen = sent;
  seen[kUdp] ^= 1;
  EXPECT_EQ(FaultsIn(check, seen), wire::kNoFaults);
  seen[kUdp + 6] ^= 1;
  EXPECT_EQ(FaultsIn(check, seen), BitOf(HeaderFault::kUdpChecksum)) << "as it was sent";
}

TEST(HeaderCheck, WithoutAChecksumOfUdpNoneIsAsked) {
  Bytes sent = UdpFrame();
  sent[kUdp + 6] = sent[kUdp + 7] = 0;
  const HeaderCheck translated(sent, {}, kPayload);
  EXPECT_EQ(FaultsIn(translated, sent), wire::kNoFaults);
  Bytes seen = sent;
  UpdateChecksums(seen);
  EXPECT_EQ(translated.Faults(seen, seen.size()), wire::kNoFaults) << "who adds one may";
  seen[kUdp + 6] ^= 1;
  EXPECT_EQ(FaultsIn(translated, seen), BitOf(HeaderFault::kUdpChecksum)) << "if it is right";
}

TEST(HeaderCheck, TagsComeAndGo) {
  const Bytes sent = UdpFrame();
  Bytes tagged = Joined({Bytes(sent.begin(), sent.begin() + 12),
                         {0x81, 0, 0, 7},
                         Bytes(sent.begin() + 12, sent.end())});
  const HeaderCheck bridged(sent, {.kept = All(sent)}, kPayload);
  EXPECT_EQ(bridged.Faults(tagged, tagged.size()), wire::kNoFaults);
  tagged[kUdp + 4 + 3] ^= 1;
  UpdateChecksums(tagged);
  EXPECT_EQ(bridged.Faults(tagged, tagged.size()), BitOf(HeaderFault::kUdpPorts));
  tagged[kUdp + 4 + 3] ^= 1;
  UpdateChecksums(tagged);
  const HeaderCheck with_tag(tagged, {.kept = All(tagged, kPayload + 4)}, kPayload + 4);
  EXPECT_EQ(with_tag.Faults(sent, sent.size()), wire::kNoFaults);
  tagged[15] = 8;
  EXPECT_EQ(FaultsIn(with_tag, tagged), BitOf(HeaderFault::kVlanTag)) << "another VLAN";
}

TEST(HeaderCheck, PaddingIsNoHeader) {
  const Bytes sent = UdpFrame(60);
  Bytes seen = sent;
  seen.insert(seen.end(), {0, 0, 0, 0});
  EXPECT_EQ(HeaderCheck(sent, {.kept = All(sent)}, kPayload).Faults(seen, 60), wire::kNoFaults);
}

TEST(HeaderCheck, InnerHeadersCount) {
  const Bytes sent = VxlanFrame();
  const size_t inner = 50;  // its Ethernet header
  const HeaderCheck bridged(sent, {.kept = All(sent, inner + kPayload)}, inner + kPayload);
  const HeaderCheck translated(sent, {}, inner + kPayload);
  EXPECT_EQ(FaultsIn(bridged, sent), wire::kNoFaults);
  EXPECT_EQ(FaultsIn(translated, sent), wire::kNoFaults);

  Bytes other_id = sent;
  other_id[48] ^= 1;
  UpdateChecksums(other_id);
  EXPECT_EQ(FaultsIn(bridged, other_id), BitOf(HeaderFault::kTunnelHeader));
  EXPECT_EQ(FaultsIn(translated, other_id), wire::kNoFaults);

  Bytes damaged = sent;
  damaged[inner + kUdp + 6] ^= 1;
  Update(damaged, wire::HeaderWalk(sent, sent.size()).sums()[1]);
  EXPECT_EQ(FaultsIn(translated, damaged), BitOf(HeaderFault::kUdpChecksum));

  Bytes expired = sent;
  expired[inner + kIp + 8] = 0;
  UpdateChecksums(expired);
  EXPECT_EQ(FaultsIn(translated, expired), BitOf(HeaderFault::kTtl));

  const Bytes unpacked(sent.begin() + inner, sent.end());
  EXPECT_EQ(translated.Faults(unpacked, unpacked.size()), wire::kNoFaults);
  EXPECT_NE(bridged.Faults(unpacked, unpacked.size()), wire::kNoFaults);
}

TEST(HeaderCheck, AChangeWithinATunnelLeavesTheOuterChecksumRight) {
  const Bytes sent = VxlanFrame();
  constexpr size_t kInnerUdp = 50 + kUdp;
  const HeaderCheck check(sent,
                          {.kept = {},
                           .changes = {{{kInnerUdp * 8, kInnerUdp * 8 + 16}},
                                       {{kInnerUdp * 8 + 48, kInnerUdp * 8 + 64}}},
                           .updated_checksums = {kInnerUdp + 6}},
                          50 + kPayload);
  Bytes seen = sent;
  seen[kInnerUdp] ^= 1;
  UpdateChecksums(seen);
  EXPECT_EQ(FaultsIn(check, seen), wire::kNoFaults);
  seen[kUdp + 6] ^= 1;
  EXPECT_EQ(FaultsIn(check, seen), BitOf(HeaderFault::kUdpChecksum));
}

TEST(HeaderCheck, ATunnelIsAddedByATranslatorOnly) {
  const Bytes sent = UdpFrame();
  Bytes seen =
      Joined({Ethernet(wire::kEtherTypeIpv4), Ipv4(wire::kProtocolUdp, Udp(Vxlan(1, sent), 4789))});
  Update(seen, wire::HeaderWalk(seen, seen.size()).sums()[0]);
  seen[kUdp + 6] = seen[kUdp + 7] = 0;  // RFC 7348: none
  EXPECT_EQ(HeaderCheck(sent, {}, kPayload).Faults(seen, seen.size()), wire::kNoFaults);
  EXPECT_NE(HeaderCheck(sent, {.kept = Routed(sent)}, kPayload).Faults(seen, seen.size()),
            wire::kNoFaults);
}

TEST(HeaderCheck, FollowsIpv6AndItsSegments) {
  const Bytes udp = Udp(Counting(80));
  Bytes routing(40);
  routing[0] = wire::kProtocolUdp;
  routing[1] = 4;
  routing[2] = 4;
  routing[3] = 1;  // segments left
  routing[4] = 1;
  routing[23] = 9;
  routing[39] = 2;
  const Bytes sent =
      Right(Joined({Ethernet(wire::kEtherTypeIpv6), Ipv6(43, Joined({routing, udp}))}));
  const size_t headers = sent.size() - 80;
  const HeaderCheck check(sent, {}, headers);
  EXPECT_EQ(FaultsIn(check, sent), wire::kNoFaults);
  Bytes arrived = sent;  // at the last segment
  arrived[54 + 3] = 0;
  std::copy_n(sent.begin() + 54 + 8, 16, arrived.begin() + 38);
  arrived[21] -= 1;
  EXPECT_EQ(check.Faults(arrived, arrived.size()), wire::kNoFaults);
  arrived[38] ^= 1;
  EXPECT_EQ(check.Faults(arrived, arrived.size()), BitOf(HeaderFault::kUdpChecksum));
  arrived = sent;
  arrived[21] = 0;
  EXPECT_EQ(FaultsIn(check, arrived), BitOf(HeaderFault::kTtl));
  arrived = sent;
  arrived[19] += 2;
  EXPECT_EQ(FaultsIn(check, arrived), BitOf(HeaderFault::kIpLength));
}

TEST(HeaderCheck, FollowsTcpIcmpGreMplsAndIpInIp) {
  Bytes tcp = Joined({Bytes(20), Counting(80)});
  tcp[12] = 0x50;
  Bytes icmp = Joined({{8, 0, 0, 0, 0, 1, 0, 1}, Counting(80)});
  const Bytes ip_tcp = Ipv4(wire::kProtocolTcp, tcp);
  const Bytes gre = Joined({{0xa0, 0, 0x08, 0, 0, 0, 0, 0, 0, 0, 0, 7}, ip_tcp});
  struct Stack {
    Bytes frame;
    size_t checksum;  // of the innermost header
    HeaderFault fault;
  };
  const std::vector<Stack> stacks = {
      {Joined({Ethernet(wire::kEtherTypeIpv4), ip_tcp}), 14 + 20 + 16, HeaderFault::kTcpChecksum},
      {Joined({Ethernet(wire::kEtherTypeIpv4), Ipv4(wire::kProtocolIcmp, icmp)}), 14 + 20 + 2,
       HeaderFault::kIcmpChecksum},
      {Joined({Ethernet(wire::kEtherTypeIpv6), Ipv6(wire::kNextHeaderIcmp6, icmp)}), 14 + 40 + 2,
       HeaderFault::kIcmpChecksum},
      {Joined({Ethernet(wire::kEtherTypeIpv4), Ipv4(4, ip_tcp)}), 14 + 40 + 16,
       HeaderFault::kTcpChecksum},
      {Joined({Ethernet(wire::kEtherTypeIpv4), Ipv4(47, gre)}), 14 + 20 + 12 + 20 + 16,
       HeaderFault::kTcpChecksum},
      {Joined({Ethernet(0x8847), {0, 1, 0, 64, 0, 2, 1, 64}, ip_tcp}), 14 + 8 + 20 + 16,
       HeaderFault::kTcpChecksum},
  };
  for (const Stack& stack : stacks) {
    const Bytes sent = Right(stack.frame);
    const HeaderCheck check(sent, {}, sent.size() - 80);
    EXPECT_EQ(FaultsIn(check, sent), wire::kNoFaults) << stack.checksum;
    Bytes seen = sent;
    seen[stack.checksum] ^= 1;
    EXPECT_NE(FaultsIn(check, seen) & BitOf(stack.fault), wire::kNoFaults) << stack.checksum;
  }
}

TEST(HeaderCheck, AFragmentIsFollowedNoFurther) {
  Bytes sent = UdpFrame();
  sent[kIp + 6] = 0x20;
  Update(sent, wire::HeaderWalk(sent, sent.size()).sums()[0]);
  sent[kUdp + 6] ^= 1;
  const HeaderCheck check(sent, {.kept = All(sent, kUdp)}, 0);
  EXPECT_EQ(FaultsIn(check, sent), wire::kNoFaults);
}

TEST(HeaderCheck, WhatIsNotComparedIsSummedUp) {
  const Bytes sent = UdpFrame();
  const HeaderCheck check(sent, {.kept = All(sent)}, 0);
  Bytes seen = sent;
  wire::SignatureWriter(7, wire::SignatureSum(&sent[sent.size() - 16]), 9000)
      .Write(&seen[seen.size() - 16], 5);
  EXPECT_EQ(FaultsIn(check, seen), wire::kNoFaults) << "a signature keeps its sum";
  seen[kPayload + 1] ^= 1;
  EXPECT_EQ(FaultsIn(check, seen), BitOf(HeaderFault::kUdpChecksum));
}

TEST(HeaderCheck, NoFrameIsReadBeyondItsEnd) {
  std::mt19937 random(2);
  const Bytes sent = VxlanFrame();
  const HeaderCheck check(sent, {.kept = All(sent, 92)}, 92);
  for (int round = 0; round < 20'000; ++round) {
    Bytes seen = sent;
    seen.resize(random() % (sent.size() + 1));
    for (size_t i = random() % 4; i-- > 0 && !seen.empty();) {
      seen[random() % seen.size()] = static_cast<uint8_t>(random());
    }
    check.Faults(Bytes(seen), seen.size() - (seen.empty() ? 0 : random() % seen.size()));
  }
}

}  // namespace
}  // namespace tester
