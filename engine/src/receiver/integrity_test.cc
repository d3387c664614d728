// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "receiver/integrity.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "wire/checksum.h"
#include "wire/ethernet.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"
#include "wire/signature.h"

namespace tester {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr uint16_t kId = 7;
constexpr uint16_t kSum = 0x1234;
constexpr size_t kPayloadOffset = 42;

void Sign(Bytes& frame, uint64_t sequence) {
  wire::SignatureWriter(kId, kSum, 9000)
      .Write(frame.data() + frame.size() - wire::kSignatureBytes, sequence);
}

// Ethernet, IPv4 and UDP with this length, with counting octets.
Bytes UdpFrame(size_t bytes, uint16_t vlan = 0) {
  Bytes frame(bytes);
  for (size_t i = 0; i < bytes; ++i) frame[i] = static_cast<uint8_t>(i);
  const size_t ip = wire::WriteEthernet(frame, {}, {}, vlan, wire::kEtherTypeIpv4);
  frame[ip] = 0x45;
  wire::Store16(frame.data() + ip + 2, static_cast<uint16_t>(bytes - ip));
  wire::Store16(frame.data() + ip + 6, 0);
  frame[ip + 9] = wire::kProtocolUdp;
  wire::Store16(frame.data() + ip + 20 + 2, 7);  // port
  wire::Store16(frame.data() + ip + 20 + 4, static_cast<uint16_t>(bytes - ip - 20));
  wire::Store16(frame.data() + ip + 10, 0);
  wire::Store16(frame.data() + ip + 10, wire::Checksum(Frame(frame).subspan(ip, 20)));
  wire::Store16(frame.data() + ip + 20 + 6, 0);  // no checksum
  Sign(frame, 0);
  return frame;
}

Bytes Joined(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Bytes Part(const Bytes& frame, size_t first, size_t last) {
  return {frame.begin() + static_cast<ptrdiff_t>(first),
          frame.begin() + static_cast<ptrdiff_t>(last)};
}

void SetIpChecksum(Bytes& frame, size_t ip = 14) {
  const size_t bytes = size_t{4} * (frame[ip] & 15);
  wire::Store16(frame.data() + ip + 10, 0);
  wire::Store16(frame.data() + ip + 10, wire::Checksum(Frame(frame).subspan(ip, bytes)));
}

void SetIpBytes(Bytes& frame, size_t ip = 14) {
  wire::Store16(frame.data() + ip + 2, static_cast<uint16_t>(frame.size() - ip));
  SetIpChecksum(frame, ip);
}

class IntegrityTest : public testing::Test {
 protected:
  // The signature ends `padding` bytes before the end of the frame.
  Damage Look(const Integrity& integrity, const Bytes& frame, size_t padding = 0,
              uint64_t sequence = 0, bool numbered = true) {
    const size_t end = frame.size() - padding;
    return integrity.Look(place, numbered, sequence,
                          {.frame = frame,
                           .bytes = frame.size(),
                           .end = end,
                           .signature = frame.data() + end - wire::kSignatureBytes});
  }

  Damage Look(const Bytes& frame, size_t padding = 0) { return Look(compared, frame, padding); }

  OrderPlace place;
  const std::vector<Bytes> sent{UdpFrame(600)};
  const Integrity compared{{.frames = sent, .order = {}, .payload_offset = kPayloadOffset}};
  const Integrity by_length{{.frames = sent, .order = {}}};
};

TEST_F(IntegrityTest, WhatWasSentIsIntact) {
  EXPECT_EQ(Look(sent[0]), Damage::kNone);
  EXPECT_EQ(Look(by_length, sent[0]), Damage::kNone);
  EXPECT_TRUE(compared.sends_one());
}

TEST_F(IntegrityTest, ABitOfThePayloadIsContent) {
  Bytes frame = sent[0];
  frame[kPayloadOffset] ^= 1;
  EXPECT_EQ(Look(frame), Damage::kContent);
  EXPECT_EQ(Look(by_length, frame), Damage::kNone) << "which is not compared";
}

TEST_F(IntegrityTest, ATranslatorChangesHeaders) {
  Bytes routed = sent[0];
  routed[0] ^= 1;
  routed[14 + 8] -= 1;   // TTL
  routed[14 + 12] ^= 1;  // source
  routed[34] ^= 1;       // port
  SetIpChecksum(routed);
  const Bytes tagged = UdpFrame(604, 5);
  const Bytes options = Joined({Part(sent[0], 0, 34), Bytes(8, 1), Part(sent[0], 34, 600)});
  for (Bytes frame : {routed, tagged, options}) {
    const size_t payload = frame.size() - 600 + kPayloadOffset;
    std::copy_n(sent[0].begin() + kPayloadOffset, 600 - kPayloadOffset,
                frame.begin() + static_cast<ptrdiff_t>(payload));
    if (frame.size() == 608) {
      frame[14] = 0x47;
      SetIpBytes(frame);
    }
    EXPECT_EQ(Look(frame), Damage::kNone) << frame.size();
    EXPECT_EQ(Look(by_length, frame), Damage::kNone) << frame.size();
  }
}

TEST_F(IntegrityTest, OtherHeadersAreDamageOfTheirOwn) {
  const Integrity bridged({.frames = sent,
                           .order = {},
                           .payload_offset = kPayloadOffset,
                           .headers = {.kept = Bytes(kPayloadOffset, 0xff)}});
  EXPECT_EQ(Look(bridged, sent[0]), Damage::kNone);
  Bytes frame = sent[0];
  frame[36] ^= 1;  // port
  EXPECT_EQ(Look(bridged, frame), Damage::kHeaders);
  EXPECT_EQ(Look(bridged, frame, 0, 0, false), Damage::kHeaders) << "nor one of the stream's";
  EXPECT_EQ(bridged.FaultsOf(place, true, 0,
                             {.frame = frame, .bytes = 600, .end = 600, .signature = nullptr}),
            wire::BitOf(wire::HeaderFault::kUdpPorts));
  frame[kPayloadOffset] ^= 1;
  EXPECT_EQ(Look(bridged, frame), Damage::kContent) << "counted once";
}

TEST_F(IntegrityTest, TunnelsAreHeaders) {
  Bytes outer = UdpFrame(50);  // with the header of VXLAN, and the MAC addresses inside
  wire::Store16(outer.data() + 36, 4788);
  Bytes tunneled = Joined({outer, Part(sent[0], 14, 600)});
  wire::Store16(tunneled.data() + 38, static_cast<uint16_t>(tunneled.size() - 34));
  SetIpBytes(tunneled);
  EXPECT_EQ(Look(tunneled), Damage::kNone);
  EXPECT_EQ(Look(by_length, tunneled), Damage::kNone);
  const std::vector<Bytes> tunneled_frames{tunneled};
  const Integrity unpacked({.frames = tunneled_frames, .order = {}});
  EXPECT_EQ(Look(unpacked, sent[0]), Damage::kNone);
}

TEST_F(IntegrityTest, PaddingIsForTheShortestFrameOnly) {
  const std::vector<Bytes> tagged{UdpFrame(62, 5)};
  const Integrity integrity({.frames = tagged, .order = {}, .payload_offset = 46});
  Bytes untagged = Joined({Part(tagged[0], 0, 12), Part(tagged[0], 16, 62), Bytes(2)});
  EXPECT_EQ(Look(integrity, untagged, 2), Damage::kNone);
  const Bytes tagged_anew = Joined({tagged[0], Bytes(2)});
  EXPECT_EQ(Look(integrity, tagged_anew, 2), Damage::kNone) << "padded without its tag";
  untagged.resize(61);
  EXPECT_EQ(Look(integrity, untagged, 3), Damage::kLength);
}

TEST_F(IntegrityTest, BytesBehindTheSignatureAreALength) {
  Bytes frame = sent[0];
  frame.push_back(0);
  EXPECT_EQ(Look(frame, 1), Damage::kLength);
  EXPECT_EQ(Look(by_length, frame, 1), Damage::kLength);
  EXPECT_EQ(Look(by_length, frame, 1, 0), Damage::kLength);
}

TEST_F(IntegrityTest, BytesMissingOrMoreBeforeTheSignatureAreALength) {
  Bytes shorter = Joined({Part(sent[0], 0, 100), Part(sent[0], 120, 600)});
  SetIpBytes(shorter);
  EXPECT_EQ(Look(shorter), Damage::kLength);
  EXPECT_EQ(Look(by_length, shorter), Damage::kLength);
  const Bytes cut = Joined({Part(sent[0], 0, 100), Part(sent[0], 120, 600)});
  EXPECT_EQ(Look(cut), Damage::kLength) << "its IP length is beyond its end";
  const Bytes grown = Joined({Part(sent[0], 0, 100), Bytes(4), Part(sent[0], 100, 600)});
  EXPECT_EQ(Look(grown), Damage::kLength) << "its IP length is before its end";
  EXPECT_EQ(Look(by_length, grown), Damage::kLength);
  Bytes longer = Joined({Part(sent[0], 0, kPayloadOffset), Bytes(4), Part(sent[0], 42, 600)});
  SetIpBytes(longer);
  EXPECT_EQ(Look(longer), Damage::kLength);
  EXPECT_EQ(Look(by_length, longer), Damage::kLength);
}

TEST_F(IntegrityTest, TheLastPieceOfAPacketIsAFragment) {
  Bytes last = Joined({Part(sent[0], 0, 34), Part(sent[0], 418, 600)});
  SetIpBytes(last);
  wire::Store16(last.data() + 20, (418 - 34) / 8);
  EXPECT_EQ(Look(last), Damage::kFragment);
  EXPECT_EQ(Look(by_length, last), Damage::kFragment);
  EXPECT_EQ(Look(by_length, last, 0, 0, false), Damage::kFragment)
      << "of a stream that has changed";
  const Integrity edited({.frames = sent, .order = {}, .fragments_by_field = true});
  EXPECT_EQ(Look(edited, last), Damage::kLength) << "fragments are what it may send";
}

TEST_F(IntegrityTest, FragmentsMayBeWhatIsSent) {
  std::vector<Bytes> fragments{sent[0]};
  wire::Store16(fragments[0].data() + 20, 100);
  const Integrity integrity({.frames = fragments, .order = {}, .payload_offset = 42});
  Bytes tagged = Joined({Part(fragments[0], 0, 12), {0x81, 0, 0, 5}, Part(fragments[0], 12, 600)});
  EXPECT_EQ(Look(integrity, tagged), Damage::kNone);
  EXPECT_EQ(Look(integrity, fragments[0], 0, 0, false), Damage::kNone);
}

TEST_F(IntegrityTest, PiecesOfIpv6AreFragments) {
  Bytes frame(100);
  wire::WriteEthernet(frame, {}, {}, 0, wire::kEtherTypeIpv6);
  frame[14] = 0x60;
  wire::Store16(frame.data() + 18, 46);
  frame[20] = wire::kNextHeaderFragment;
  EXPECT_EQ(Look(frame), Damage::kFragment);
}

TEST_F(IntegrityTest, SeveralFramesInOneAreALength) {
  Bytes second = Part(sent[0], kPayloadOffset, 600);
  Bytes merged = Joined({sent[0], second});
  SetIpBytes(merged);
  EXPECT_EQ(Look(merged), Damage::kLength);
  EXPECT_EQ(Look(by_length, merged), Damage::kLength);
  // TCP has no length field, and may have options.
  std::vector<Bytes> tcp{sent[0]};
  tcp[0][23] = wire::kProtocolTcp;
  const Integrity integrity({.frames = tcp, .order = {}, .payload_offset = 54});
  merged = Joined({tcp[0], Part(tcp[0], 54, 600)});
  SetIpBytes(merged);
  EXPECT_EQ(Look(integrity, merged), Damage::kLength);
  Bytes options = Joined({Part(tcp[0], 0, 54), Bytes(12, 1), Part(tcp[0], 54, 600)});
  SetIpBytes(options);
  EXPECT_EQ(Look(integrity, options), Damage::kNone);
}

TEST_F(IntegrityTest, AnIcmpErrorOnlyQuotes) {
  Bytes quoting = Joined({Part(sent[0], 0, 34), {3, 1, 0, 0, 0, 0, 0, 0}, Part(sent[0], 14, 600)});
  quoting[23] = wire::kProtocolIcmp;
  SetIpBytes(quoting);
  EXPECT_EQ(Look(quoting), Damage::kQuoted);
  const std::vector<Bytes> errors{quoting};
  const Integrity integrity({.frames = errors, .order = {}});
  EXPECT_TRUE(integrity.sends_icmp_errors());
  EXPECT_EQ(Look(integrity, quoting), Damage::kNone);
}

TEST_F(IntegrityTest, EachFrameHasItsOwnLengthAndContent) {
  const std::vector<Bytes> mix = {UdpFrame(60), UdpFrame(600), UdpFrame(64)};
  const Integrity in_turn({.frames = mix, .order = {}, .payload_offset = kPayloadOffset});
  EXPECT_EQ(Look(in_turn, mix[0], 0, 3), Damage::kNone);
  EXPECT_EQ(Look(in_turn, mix[1], 0, 4), Damage::kNone);
  EXPECT_EQ(Look(in_turn, mix[0], 0, 4), Damage::kLength);
  const std::vector<OrderRun> runs = {{2, 2}, {0, 1}};
  const Integrity ordered({.frames = mix, .order = runs});
  place = {};
  EXPECT_EQ(Look(ordered, mix[2], 0, 0), Damage::kNone);
  EXPECT_EQ(Look(ordered, mix[2], 0, 4), Damage::kNone);
  EXPECT_EQ(Look(ordered, mix[0], 0, 5), Damage::kNone);
  EXPECT_EQ(Look(ordered, mix[1], 0, 5), Damage::kLength);
  EXPECT_EQ(Look(ordered, mix[1], 0, 5, false), Damage::kNone) << "nobody knows";
}

}  // namespace
}  // namespace tester
