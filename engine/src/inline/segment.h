// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A packet as events see it: its headers, its flow and its sequence numbers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/mix.h"
#include "wire/bth.h"
#include "wire/bytes.h"
#include "wire/ethernet.h"
#include "wire/ipv4.h"
#include "wire/udp.h"

namespace tester {

// Addresses, ports and protocol, equal for both directions. RoCEv2 has the queue pair in place of
// the source port, which each end chooses by itself.
struct FlowKey {
  // The lower address and the upper one, of IPv4 as mapped addresses (RFC 4291 section 2.5.5.2);
  // their ports, the protocol and the queue pair.
  std::array<uint64_t, 5> words{};

  // Without branches: most comparisons of a table succeed.
  bool operator==(const FlowKey& other) const {
    uint64_t difference = 0;
    for (size_t i = 0; i < words.size(); ++i) difference |= words[i] ^ other.words[i];
    return difference == 0;
  }
  uint64_t Hash() const {
    const uint64_t lower = MixPair(words[1], words[0]);
    const uint64_t upper = MixPair(words[3], words[2]);
    return Mix(lower ^ std::rotl(upper, 32), words[4]);
  }
};

// Offsets of checksums in the headers of IPv4, TCP and UDP.
inline constexpr size_t kIpv4SumOffset = 10;
inline constexpr size_t kTcpSumOffset = 16;
inline constexpr size_t kUdpSumOffset = 6;

struct Segment {
  // In a frame. Half as long as `size_t`, so that a burst of segments stays near.
  using Offset = uint32_t;

  // Sequence numbers that a packet of RoCEv2 takes.
  static constexpr uint32_t kPerRocePacket = 256;

  static constexpr uint8_t kFin = 0x01;
  static constexpr uint8_t kSyn = 0x02;
  static constexpr uint8_t kRst = 0x04;
  static constexpr uint8_t kAck = 0x10;

  // Only `end` is set for a frame that is not IP, or cut short.
  static Segment Of(Frame frame) {
    Segment segment;
    segment.end = static_cast<Offset>(frame.size());
    if (frame.size() < wire::kMacHeaderBytes) return segment;
    segment.link_end = wire::kMacHeaderBytes;
    segment.ether_type = wire::Load16(frame.data() + wire::kMacsBytes);
    if (segment.ether_type == wire::kEtherTypeIpv4) [[likely]] {
      segment.FindIpv4(frame, segment.link_end);
    } else {
      segment.FindOther(frame);
    }
    return segment;
  }
  // The segment of an IP packet that begins and ends within a frame, such as an inner one.
  static Segment OfPacket(Frame frame, Offset begin);

  bool has_network() const { return ip_version != 0; }
  bool has_transport() const { return transport != 0; }
  bool is_udp() const { return protocol == wire::kProtocolUdp && has_transport(); }
  bool is_tcp() const { return protocol == wire::kProtocolTcp && has_transport(); }
  // It resets a TCP connection.
  bool resets() const { return (tcp_flags & kRst) != 0; }
  // A SYN without ACK.
  bool opens() const { return (tcp_flags & (kSyn | kAck)) == kSyn; }
  // IPv4 fragments but the first are of no flow.
  bool has_flow() const { return has_network() && !later_fragment; }
  // Data of TCP, UDP or another protocol; in RoCEv2 a SEND, WRITE or READ.
  bool has_payload() const { return has_network() && payload < end && !is_bare_roce; }
  // Only for a packet with a flow.
  FlowKey Key(Frame frame) const {
    const uint8_t* const ip = frame.data() + network;
    uint64_t source_port = 0;
    uint64_t destination_port = 0;
    if (has_ports) [[likely]] {
      destination_port = wire::Load16(frame.data() + transport + 2);
      source_port = is_roce ? destination_port : wire::Load16(frame.data() + transport);
    }
    const uint64_t rest = uint64_t{queue_pair} << 8 | protocol;
    if (ip_version != 4) return KeyOfIpv6(ip, source_port, destination_port, rest);
    // An end in one word: which one is the lower is a coin toss, and takes no branch.
    const uint64_t source = uint64_t{wire::Load<uint32_t>(ip + 12)} << 16 | source_port;
    const uint64_t destination = uint64_t{wire::Load<uint32_t>(ip + 16)} << 16 | destination_port;
    const uint64_t lower = std::min(source, destination);
    const uint64_t upper = std::max(source, destination);
    constexpr uint64_t kMapped = uint64_t{0xffff} << 32;
    return {{0, kMapped | lower >> 16, 0, kMapped | upper >> 16,
             rest << 32 | (lower & 0xffff) << 16 | (upper & 0xffff)}};
  }

  Offset link_end = 0;      // behind Ethernet and its tags; 0 of a frame that is too short for them
  Offset network = 0;       // begin of the IP header
  Offset transport = 0;     // of the header of TCP, UDP or another protocol; 0 where there is none
  Offset payload = 0;       // behind the header of TCP or UDP, or else of IP
  Offset end = 0;           // of the packet; padding lies behind it
  uint16_t ether_type = 0;  // behind the tags
  uint8_t ip_version = 0;
  uint8_t protocol = 0;
  bool later_fragment = false;
  bool fragment_header = false;  // of IPv6: it is a fragment, if only the first one
  bool has_ports = false;        // in the first bytes of its transport: TCP, UDP, SCTP
  uint8_t tcp_flags = 0;         // 0 of what is not TCP
  bool is_roce = false;          // RoCEv2
  bool is_bare_roce = false;     // of which it has no data
  uint32_t queue_pair = 0;       // of RoCEv2
  // A PSN of RoCEv2 is in the upper 24 bits, so that it wraps like a number of TCP; each packet
  // takes 256.
  uint32_t sequence = 0;
  uint32_t sequence_numbers = 0;  // that it takes: payload, SYN and FIN

 private:
  static constexpr Offset kShortestTcp = 20;

  // The common case, inlined: plain IPv4.
  void FindIpv4(Frame frame, Offset begin) {
    constexpr Offset kShortest = wire::kIpv4HeaderBytes;
    const uint8_t* const ip = frame.data() + begin;
    if (frame.size() < begin + kShortest || ip[0] >> 4 != 4) return;
    const Offset header = (Offset{ip[0]} & 15) << 2;
    const Offset total = wire::Load16(ip + 2);
    if (header < kShortest || total < header || begin + total > frame.size()) return;
    ip_version = 4;
    network = begin;
    end = begin + total;
    payload = begin + header;
    protocol = ip[9];
    later_fragment = (wire::Load16(ip + 6) & 0x1fff) != 0;
    if (later_fragment || total == header) return;
    transport = payload;
    FindPayload(frame);
  }
  void FindPayload(Frame frame) {
    constexpr Offset kUdpBytes = kUdpHeaderBytes;
    const uint8_t* const at = frame.data() + transport;
    const Offset room = end - transport;
    if (protocol == wire::kProtocolUdp && room >= kUdpBytes) {
      has_ports = true;
      payload = transport + kUdpBytes;
      if (wire::Load16(at + 2) == wire::kRocePort) [[unlikely]]
        FindRoce(frame);
    } else if (protocol == wire::kProtocolTcp && room >= kShortestTcp) {
      const Offset header = Offset{at[12]} >> 4 << 2;
      if (header < kShortestTcp || header > room) {
        transport = 0;
        return;
      }
      has_ports = true;
      payload = transport + header;
      tcp_flags = at[13];
      sequence = wire::Load<uint32_t>(at + 4);
      sequence_numbers =
          room - header + ((tcp_flags & kSyn) != 0 ? 1U : 0U) + ((tcp_flags & kFin) != 0 ? 1U : 0U);
    } else {
      FindOtherPayload();
    }
  }
  // Frames that are not IPv4, or have tags.
  void FindOther(Frame frame);
  void FindIpv6(Frame frame, Offset begin);
  void FindRoce(Frame frame);
  void FindOtherPayload();
  static FlowKey KeyOfIpv6(const uint8_t* ip, uint64_t source_port, uint64_t destination_port,
                           uint64_t rest);
};

}  // namespace tester
