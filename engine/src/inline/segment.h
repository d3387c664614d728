// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A packet as events see it: where its headers are, whose flow it is, which sequence numbers it
// has.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/mix.h"
#include "wire/bytes.h"
#include "wire/ethernet.h"
#include "wire/ipv4.h"

namespace tester {

// Addresses, ports and protocol of both directions alike. Of RoCEv2 the queue pair in place of the
// source port, which each end chooses for itself.
struct FlowKey {
  // The address of the lower end and that of the other one, of IPv4 as IPv6 has it (RFC 4291
  // section 2.5.5.2); their ports, the protocol and the queue pair.
  std::array<uint64_t, 5> words{};

  // Without branches: most comparisons of a table find what they look for.
  bool operator==(const FlowKey& other) const {
    uint64_t difference = 0;
    for (size_t i = 0; i < words.size(); ++i) difference |= words[i] ^ other.words[i];
    return difference == 0;
  }
  uint64_t Hash() const {
    const uint64_t lower = Mix(words[1], std::rotl(words[0], 32));
    const uint64_t upper = Mix(words[3], std::rotl(words[2], 32));
    return Mix(lower ^ std::rotl(upper, 32), words[4]);
  }
};

// Of the checksum in the headers of IPv4, TCP and UDP.
inline constexpr size_t kIpv4SumOffset = 10;
inline constexpr size_t kTcpSumOffset = 16;
inline constexpr size_t kUdpSumOffset = 6;

struct Segment {
  static constexpr uint8_t kFin = 0x01;
  static constexpr uint8_t kSyn = 0x02;
  static constexpr uint8_t kRst = 0x04;
  static constexpr uint8_t kAck = 0x10;

  // Nothing but the end is known of a frame that is not IP, or cut short.
  static Segment Of(Frame frame);
  // The same of an IP packet that begins in a frame, as an inner one does, and ends in it.
  static Segment OfPacket(Frame frame, size_t begin);

  bool has_network() const { return ip_version != 0; }
  bool has_transport() const { return transport != 0; }
  bool is_tcp() const;
  // Of a connection that is reset with it.
  bool resets() const { return (tcp_flags & kRst) != 0; }
  // Opens a connection, and is no answer to such a one.
  bool opens() const { return (tcp_flags & (kSyn | kAck)) == kSyn; }
  // IPv4 fragments but the first are of no flow.
  bool has_flow() const { return has_network() && !later_fragment; }
  // Data of TCP, UDP or another protocol; of RoCEv2 what is sent, written or read.
  bool has_payload() const { return has_network() && payload < end && !is_bare_roce; }
  // Of a packet that has a flow.
  FlowKey Key(Frame frame) const;

  size_t link_end = 0;      // behind Ethernet and its tags; 0 of a frame that is too short for them
  uint16_t ether_type = 0;  // behind the tags
  size_t network = 0;       // begin of the IP header
  size_t transport =
      0;               // begin of the header of TCP, UDP or another protocol; 0 where there is none
  size_t payload = 0;  // behind the header of TCP or UDP, or else of IP
  size_t end = 0;      // of the packet; padding lies behind it
  uint8_t ip_version = 0;
  uint8_t protocol = 0;
  bool later_fragment = false;
  uint8_t tcp_flags = 0;      // 0 of what is not TCP
  bool is_roce = false;       // RoCEv2
  bool is_bare_roce = false;  // of which it has no data
  uint32_t queue_pair = 0;    // of RoCEv2
  // Of RoCEv2 a PSN is in the upper 24 bits, so that both go round alike, and each packet takes
  // 256.
  uint32_t sequence = 0;
  uint32_t sequence_numbers = 0;  // that it takes: payload, SYN and FIN
};

}  // namespace tester
