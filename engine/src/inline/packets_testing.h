// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames of TCP for tests of events.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "inline/events/events.h"
#include "inline/segment.h"
#include "wire/bth.h"
#include "wire/checksum.h"
#include "wire/ethernet.h"
#include "wire/header_walk.h"

namespace tester {

inline constexpr uint8_t kTestSyn = 0x02;
inline constexpr uint8_t kTestRst = 0x04;
inline constexpr uint8_t kTestAck = 0x10;

// A burst of one frame.
inline Treatment Treat(Events& events, MutableFrame frame, size_t direction, uint64_t now_ns) {
  events.Begin({&frame, 1}, direction, now_ns);
  return events.See(0, 1) == 0 ? events.Treat(0) : Treatment{.bytes = frame.size()};
}

struct TestSegment {
  uint16_t client_port = 40'000;
  bool to_client = false;
  uint32_t sequence = 1;
  size_t payload = 0;
  uint8_t flags = kTestAck;
  bool ipv6 = false;
  uint16_t vlan = 0;
  uint32_t acknowledgment = 0;
};

// With right checksums; padded to the shortest frame.
inline std::vector<uint8_t> FrameOf(const TestSegment& test) {
  std::vector<uint8_t> frame(18);
  const uint16_t type = test.ipv6 ? wire::kEtherTypeIpv6 : wire::kEtherTypeIpv4;
  const size_t ip =
      wire::WriteEthernet(frame, {2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 2}, test.vlan, type);
  const size_t tcp = ip + (test.ipv6 ? 40 : 20);
  const size_t end = tcp + 20 + test.payload;
  frame.resize(end);
  const uint8_t client = test.to_client ? 2 : 1;
  const uint8_t server = test.to_client ? 1 : 2;
  uint8_t* at = frame.data() + ip;
  if (test.ipv6) {
    at[0] = 0x60;
    wire::Store16(at + 4, static_cast<uint16_t>(end - tcp));
    at[6] = 6;
    at[7] = 64;
    at[8 + 15] = client;
    at[24 + 15] = server;
  } else {
    at[0] = 0x45;
    wire::Store16(at + 2, static_cast<uint16_t>(end - ip));
    at[8] = 64;
    at[9] = 6;
    at[12] = at[16] = 10;
    at[15] = client;
    at[19] = server;
    wire::Store16(at + 10, wire::Checksum({at, 20}));
  }
  uint8_t* segment = frame.data() + tcp;
  wire::Store16(segment, test.to_client ? 80 : test.client_port);
  wire::Store16(segment + 2, test.to_client ? test.client_port : 80);
  wire::Store<uint32_t>(segment + 4, test.sequence);
  wire::Store<uint32_t>(segment + 8, test.acknowledgment);
  segment[12] = 5 << 4;
  segment[13] = test.flags;
  for (size_t i = 0; i < test.payload; ++i) segment[20 + i] = static_cast<uint8_t>(i);
  const size_t addresses = test.ipv6 ? 32 : 8;
  const uint64_t pseudo = wire::Sum({at + (test.ipv6 ? 8 : 12), addresses}) + 6 + (end - tcp);
  wire::Store16(segment + 16, wire::Checksum({segment, end - tcp}, pseudo));
  if (frame.size() < wire::kMinFrameBytes) frame.resize(wire::kMinFrameBytes);
  return frame;
}

// Whether every checksum of the frame is right.
inline bool SumsAreRight(const std::vector<uint8_t>& frame) {
  return wire::HeaderWalk(frame, Segment::Of(frame).end).WrongSums() == wire::kNoFaults;
}

struct TestRoce {
  uint8_t opcode = 0;
  uint32_t queue_pair = 17;
  uint32_t psn = 0;
  size_t payload = 0;
  bool to_client = false;
  uint16_t source_port = 50'000;
};

// RoCEv2 over IPv4, with arbitrary bytes for its CRC, which paths do not verify.
inline std::vector<uint8_t> RoceFrameOf(const TestRoce& test) {
  constexpr size_t kIp = 14;
  constexpr size_t kUdp = kIp + 20;
  constexpr size_t kBth = kUdp + 8;
  const size_t end = kBth + wire::kBthBytes + test.payload + wire::kIcrcBytes;
  std::vector<uint8_t> frame(std::max<size_t>(end, 60));
  uint8_t* const at = frame.data();
  wire::Store16(at + 12, wire::kEtherTypeIpv4);
  at[kIp] = 0x45;
  wire::Store16(at + kIp + 2, static_cast<uint16_t>(end - kIp));
  at[kIp + 9] = wire::kProtocolUdp;
  at[kIp + 15] = test.to_client ? 2 : 1;
  at[kIp + 19] = test.to_client ? 1 : 2;
  wire::Store16(at + kUdp, test.source_port);
  wire::Store16(at + kUdp + 2, wire::kRocePort);
  wire::Store16(at + kUdp + 4, static_cast<uint16_t>(end - kUdp));
  at[kBth] = test.opcode;
  wire::Store(at + kBth + 4, test.queue_pair);
  wire::Store(at + kBth + 8, test.psn);
  return frame;
}

}  // namespace tester
