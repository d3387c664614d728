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

using Offset = Segment::Offset;

constexpr Offset kSctpHeaderBytes = 12;
constexpr uint8_t kProtocolSctp = 132;
// Hop-by-hop options, routing, destination options; a first fragment has the headers that follow.
constexpr std::array<uint8_t, 4> kSkippedExtensions = {0, 43, 60, wire::kNextHeaderFragment};

}  // namespace

// Acknowledgements and notifications have no PSN of their own.
void Segment::FindRoce(Frame frame) {
  constexpr Offset kFewest = wire::kBthBytes + wire::kIcrcBytes;
  if (end - payload < kFewest) return;
  const wire::Bth bth = wire::Bth::At(frame.data() + payload);
  is_roce = true;
  is_bare_roce = !bth.carries_data();
  queue_pair = bth.queue_pair;
  if (bth.answers()) return;
  sequence = bth.psn * kPerRocePacket;
  sequence_numbers = kPerRocePacket;
}

void Segment::FindOtherPayload() {
  if (protocol != kProtocolSctp && protocol != wire::kProtocolTcp &&
      protocol != wire::kProtocolUdp) {
    return;
  }
  has_ports = protocol == kProtocolSctp && end - transport >= kSctpHeaderBytes;
  if (has_ports) {
    payload = transport + kSctpHeaderBytes;
  } else {
    transport = 0;  // cut short
  }
}

void Segment::FindIpv6(Frame frame, Offset begin) {
  constexpr Offset kHeader = wire::kIpv6HeaderBytes;
  const uint8_t* const ip = frame.data() + begin;
  if (frame.size() < begin + kHeader || ip[0] >> 4 != 6) return;
  const Offset behind = begin + kHeader + wire::Load16(ip + 4);
  if (behind > frame.size()) return;
  ip_version = 6;
  network = begin;
  end = behind;
  uint8_t next = ip[6];
  Offset at = begin + kHeader;
  while (std::ranges::find(kSkippedExtensions, next) != kSkippedExtensions.end() && at + 8 <= end) {
    const bool fragment = next == wire::kNextHeaderFragment;
    fragment_header |= fragment;
    if (fragment && wire::Load16(&frame[at + 2]) >> 3 != 0) break;
    // The length of a fragment header is reserved: it has 8 bytes.
    const Offset bytes = fragment ? 8 : 8 + Offset{frame[at + 1]} * 8;
    if (at + bytes > end) break;
    next = frame[at];
    at += bytes;
  }
  payload = at;
  protocol = next;
  later_fragment = next == wire::kNextHeaderFragment;
  fragment_header |= later_fragment;
  if (later_fragment || at == end) return;
  transport = at;
  FindPayload(frame);
}

// Its header is as wire::Ethernet has it, and most have no tag.
void Segment::FindOther(Frame frame) {
  if (ether_type == wire::kEtherTypeVlan || ether_type == wire::kEtherTypeQinq) {
    const auto ethernet = wire::Ethernet::Parse(frame);
    link_end = ethernet ? static_cast<Offset>(ethernet->header_bytes) : 0;
    ether_type = ethernet ? ethernet->type : uint16_t{0};
  }
  if (ether_type == wire::kEtherTypeIpv4) FindIpv4(frame, link_end);
  if (ether_type == wire::kEtherTypeIpv6) FindIpv6(frame, link_end);
}

Segment Segment::OfPacket(Frame frame, Offset begin) {
  Segment segment;
  segment.end = static_cast<Offset>(frame.size());
  if (begin >= frame.size()) return segment;
  if (frame[begin] >> 4 == 4) segment.FindIpv4(frame, begin);
  if (frame[begin] >> 4 == 6) segment.FindIpv6(frame, begin);
  return segment;
}

FlowKey Segment::KeyOfIpv6(const uint8_t* ip, uint64_t source_port, uint64_t destination_port,
                           uint64_t rest) {
  std::tuple lower(wire::Load64(ip + 8), wire::Load64(ip + 16), source_port);
  std::tuple upper(wire::Load64(ip + 24), wire::Load64(ip + 32), destination_port);
  if (upper < lower) std::swap(lower, upper);
  const auto [lower_begin, lower_end, lower_port] = lower;
  const auto [upper_begin, upper_end, upper_port] = upper;
  return {
      {lower_begin, lower_end, upper_begin, upper_end, rest << 32 | lower_port << 16 | upper_port}};
}

}  // namespace tester
