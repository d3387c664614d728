// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/segment.h"

#include <algorithm>
#include <utility>

#include "wire/bth.h"
#include "wire/ethernet.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"
#include "wire/udp.h"

namespace tester {
namespace {

constexpr size_t kShortestTcp = 20;
constexpr size_t kSctpHeaderBytes = 12;
constexpr uint8_t kProtocolSctp = 132;
constexpr uint8_t kFlagFin = 0x01;
constexpr uint8_t kFlagSyn = 0x02;
constexpr uint8_t kFlagRst = 0x04;
constexpr uint8_t kFlagAck = 0x10;
// Hop-by-hop options, routing, destination options.
constexpr std::array<uint8_t, 3> kSkippedExtensions = {0, 43, 60};

bool BeginsWithPorts(uint8_t protocol) {
  return protocol == wire::kProtocolTcp || protocol == wire::kProtocolUdp ||
         protocol == kProtocolSctp;
}

// Acknowledgements and notifications have no PSN of their own.
void FindRoce(Frame frame, Segment& segment) {
  constexpr uint32_t kPerPacket = 256;
  if (wire::Load16(frame.data() + segment.transport + 2) != wire::kRocePort ||
      segment.end - segment.payload < wire::kBthBytes + wire::kIcrcBytes) {
    return;
  }
  const wire::Bth bth = wire::Bth::At(frame.data() + segment.payload);
  segment.is_roce = true;
  segment.is_bare_roce = !bth.carries_data();
  segment.queue_pair = bth.queue_pair;
  if (bth.answers()) return;
  segment.sequence = bth.psn * kPerPacket;
  segment.sequence_numbers = kPerPacket;
}

void FindPayload(Frame frame, Segment& segment) {
  const uint8_t* at = frame.data() + segment.transport;
  const size_t room = segment.end - segment.transport;
  if (segment.protocol == wire::kProtocolUdp && room >= kUdpHeaderBytes) {
    segment.payload = segment.transport + kUdpHeaderBytes;
    FindRoce(frame, segment);
  } else if (segment.protocol == kProtocolSctp && room >= kSctpHeaderBytes) {
    segment.payload = segment.transport + kSctpHeaderBytes;
  } else if (segment.protocol == wire::kProtocolTcp && room >= kShortestTcp) {
    const size_t header = static_cast<size_t>(at[12] >> 4) * 4;
    if (header < kShortestTcp || header > room) {
      segment.transport = 0;
      return;
    }
    segment.payload = segment.transport + header;
    segment.tcp_flags = at[13];
    segment.sequence = wire::Load<uint32_t>(at + 4);
    segment.sequence_numbers = static_cast<uint32_t>(segment.end - segment.payload) +
                               ((at[13] & kFlagSyn) != 0 ? 1U : 0U) +
                               ((at[13] & kFlagFin) != 0 ? 1U : 0U);
  } else if (BeginsWithPorts(segment.protocol)) {
    segment.transport = 0;  // cut short
  }
}

void FindIpv4(Frame frame, size_t begin, Segment& segment) {
  const uint8_t* ip = frame.data() + begin;
  if (frame.size() < begin + wire::kIpv4HeaderBytes || ip[0] >> 4 != 4) return;
  const size_t header = static_cast<size_t>(ip[0] & 15) * 4;
  const size_t total = wire::Load16(ip + 2);
  if (header < wire::kIpv4HeaderBytes || total < header || begin + total > frame.size()) return;
  segment.ip_version = 4;
  segment.network = begin;
  segment.end = begin + total;
  segment.payload = begin + header;
  segment.protocol = ip[9];
  segment.later_fragment = (wire::Load16(ip + 6) & 0x1fff) != 0;
  if (segment.later_fragment || segment.payload == segment.end) return;
  segment.transport = segment.payload;
  FindPayload(frame, segment);
}

void FindIpv6(Frame frame, size_t begin, Segment& segment) {
  const uint8_t* ip = frame.data() + begin;
  if (frame.size() < begin + wire::kIpv6HeaderBytes || ip[0] >> 4 != 6) return;
  const size_t end = begin + wire::kIpv6HeaderBytes + wire::Load16(ip + 4);
  if (end > frame.size()) return;
  segment.ip_version = 6;
  segment.network = begin;
  segment.end = end;
  uint8_t next = ip[6];
  size_t at = begin + wire::kIpv6HeaderBytes;
  while (std::ranges::find(kSkippedExtensions, next) != kSkippedExtensions.end() && at + 8 <= end) {
    const size_t bytes = 8 + size_t{frame[at + 1]} * 8;
    if (at + bytes > end) break;
    next = frame[at];
    at += bytes;
  }
  segment.payload = at;
  segment.protocol = next;
  segment.later_fragment = next == wire::kNextHeaderFragment;
  if (segment.later_fragment || at == end) return;
  segment.transport = at;
  FindPayload(frame, segment);
}

}  // namespace

Segment Segment::Of(Frame frame) {
  Segment segment;
  segment.end = frame.size();
  const auto ethernet = wire::Ethernet::Parse(frame);
  if (!ethernet) return segment;
  segment.link_end = ethernet->header_bytes;
  segment.ether_type = ethernet->type;
  if (ethernet->type == wire::kEtherTypeIpv4) FindIpv4(frame, ethernet->header_bytes, segment);
  if (ethernet->type == wire::kEtherTypeIpv6) FindIpv6(frame, ethernet->header_bytes, segment);
  return segment;
}

Segment Segment::OfPacket(Frame frame, size_t begin) {
  Segment segment;
  segment.end = frame.size();
  if (begin >= frame.size()) return segment;
  if (frame[begin] >> 4 == 4) FindIpv4(frame, begin, segment);
  if (frame[begin] >> 4 == 6) FindIpv6(frame, begin, segment);
  return segment;
}

bool Segment::is_tcp() const { return protocol == wire::kProtocolTcp && has_transport(); }

bool Segment::opens() const { return is_tcp() && (tcp_flags & (kFlagSyn | kFlagAck)) == kFlagSyn; }

bool Segment::resets() const { return is_tcp() && (tcp_flags & kFlagRst) != 0; }

FlowKey Segment::Key(Frame frame) const {
  FlowKey key;
  if (!has_network() || later_fragment) return key;
  key.ip_version = ip_version;
  key.protocol = protocol;
  const uint8_t* ip = frame.data() + network;
  // Each end: its address as two words, and its port.
  std::array<uint64_t, 2> source{};
  std::array<uint64_t, 2> destination{};
  if (ip_version == 4) {
    source[1] = wire::Load<uint32_t>(ip + 12);
    destination[1] = wire::Load<uint32_t>(ip + 16);
  } else {
    source = {wire::Load64(ip + 8), wire::Load64(ip + 16)};
    destination = {wire::Load64(ip + 24), wire::Load64(ip + 32)};
  }
  uint16_t source_port = 0;
  uint16_t destination_port = 0;
  if (has_transport() && BeginsWithPorts(protocol)) {
    source_port = wire::Load16(frame.data() + transport);
    destination_port = wire::Load16(frame.data() + transport + 2);
  }
  if (is_roce) {
    source_port = destination_port;
    key.queue_pair = queue_pair;
  }
  if (std::pair(source, source_port) > std::pair(destination, destination_port)) {
    std::swap(source, destination);
    std::swap(source_port, destination_port);
  }
  key.addresses = {source[0], source[1], destination[0], destination[1]};
  key.ports = {source_port, destination_port};
  return key;
}

}  // namespace tester
