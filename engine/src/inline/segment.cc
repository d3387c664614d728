// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/segment.h"

#include <algorithm>
#include <tuple>
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
// Hop-by-hop options, routing, destination options.
constexpr std::array<uint8_t, 3> kSkippedExtensions = {0, 43, 60};

bool BeginsWithPorts(uint8_t protocol) {
  return protocol == wire::kProtocolTcp || protocol == wire::kProtocolUdp ||
         protocol == kProtocolSctp;
}

// As wire::Ethernet has it, of whose header most frames have no tag. False of a frame that is too
// short for it.
bool FindLinkEnd(Frame frame, Segment& segment) {
  if (frame.size() < wire::kMacHeaderBytes) return false;
  segment.link_end = wire::kMacHeaderBytes;
  segment.ether_type = wire::Load16(frame.data() + wire::kMacsBytes);
  if (segment.ether_type != wire::kEtherTypeVlan && segment.ether_type != wire::kEtherTypeQinq)
    return true;
  const auto ethernet = wire::Ethernet::Parse(frame);
  segment.link_end = ethernet ? ethernet->header_bytes : 0;
  segment.ether_type = ethernet ? ethernet->type : uint16_t{0};
  return ethernet.has_value();
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
                               ((at[13] & Segment::kSyn) != 0 ? 1U : 0U) +
                               ((at[13] & Segment::kFin) != 0 ? 1U : 0U);
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
  if (!FindLinkEnd(frame, segment)) return segment;
  if (segment.ether_type == wire::kEtherTypeIpv4) FindIpv4(frame, segment.link_end, segment);
  if (segment.ether_type == wire::kEtherTypeIpv6) FindIpv6(frame, segment.link_end, segment);
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

FlowKey Segment::Key(Frame frame) const {
  constexpr uint64_t kMapped = uint64_t{0xffff} << 32;
  const uint8_t* ip = frame.data() + network;
  uint64_t source_port = 0;
  uint64_t destination_port = 0;
  if (has_transport() && BeginsWithPorts(protocol)) {
    destination_port = wire::Load16(frame.data() + transport + 2);
    source_port = is_roce ? destination_port : wire::Load16(frame.data() + transport);
  }
  const uint64_t rest = uint64_t{queue_pair} << 8 | protocol;
  if (ip_version == 4) {
    // An end in one word: which one is the lower is a coin toss, and takes no branch.
    const uint64_t source = uint64_t{wire::Load<uint32_t>(ip + 12)} << 16 | source_port;
    const uint64_t destination = uint64_t{wire::Load<uint32_t>(ip + 16)} << 16 | destination_port;
    const uint64_t lower = std::min(source, destination);
    const uint64_t upper = std::max(source, destination);
    return {{0, kMapped | lower >> 16, 0, kMapped | upper >> 16,
             rest << 32 | (lower & 0xffff) << 16 | (upper & 0xffff)}};
  }
  std::tuple lower(wire::Load64(ip + 8), wire::Load64(ip + 16), source_port);
  std::tuple upper(wire::Load64(ip + 24), wire::Load64(ip + 32), destination_port);
  if (upper < lower) std::swap(lower, upper);
  const auto [lower_begin, lower_end, lower_port] = lower;
  const auto [upper_begin, upper_end, upper_port] = upper;
  return {
      {lower_begin, lower_end, upper_begin, upper_end, rest << 32 | lower_port << 16 | upper_port}};
}

}  // namespace tester
