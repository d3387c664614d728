// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/events/packet_sums.h"

#include <algorithm>

#include "wire/checksum.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"

namespace tester {
namespace {

constexpr size_t kIcmpSumOffset = 2;

// HC' = ~(~HC + ~m + m') (RFC 1624), for a byte that begins a 16-bit word of its sum, or ends one.
void FollowSum(uint8_t* sum, bool low, uint8_t before, uint8_t after) {
  const unsigned shift = low ? 0 : 8;
  const auto old_word = static_cast<uint16_t>(before << shift);
  const auto new_word = static_cast<uint16_t>(after << shift);
  const uint64_t total =
      uint64_t{wire::Negative(wire::Load16(sum))} + wire::Negative(old_word) + uint64_t{new_word};
  wire::Store16(sum, wire::Negative(total));
}

}  // namespace

PacketSums::PacketSums(MutableFrame frame, const Segment& segment)
    : frame_(frame), sums_{NetworkSum(frame, segment), TransportSum(frame, segment)} {}

PacketSums::Sum PacketSums::NetworkSum(Frame frame, const Segment& segment) {
  if (segment.ip_version != 4) return {};
  const size_t header = static_cast<size_t>(frame[segment.network] & 15) * 4;
  return {.at = segment.network + kIpv4SumOffset,
          .begin = segment.network,
          .end = segment.network + header};
}

PacketSums::Sum PacketSums::TransportSum(Frame frame, const Segment& segment) {
  if (!segment.has_transport()) return {};
  const bool ipv4 = segment.ip_version == 4;
  const bool udp = segment.protocol == wire::kProtocolUdp;
  const bool icmp =
      segment.protocol == (ipv4 ? wire::kProtocolIcmp : uint8_t{wire::kNextHeaderIcmp6});
  size_t offset = 0;
  if (segment.protocol == wire::kProtocolTcp) offset = kTcpSumOffset;
  if (udp) offset = kUdpSumOffset;
  if (icmp) offset = kIcmpSumOffset;
  const size_t at = segment.transport + offset;
  if (offset == 0 || at + 2 > segment.end) return {};
  // 0: no checksum (RFC 768).
  if (udp && wire::Load16(frame.data() + at) == 0) return {};
  Sum sum{.at = at, .begin = segment.transport, .end = segment.end, .is_udp = udp};
  if (icmp && ipv4) return sum;  // without a pseudo header
  sum.addresses = segment.network + (ipv4 ? 12 : 8);
  sum.addresses_end = sum.addresses + (ipv4 ? 8 : 32);
  return sum;
}

bool PacketSums::Has(size_t byte) const {
  return std::ranges::any_of(
      sums_, [byte](const Sum& sum) { return sum.at != 0 && byte >= sum.at && byte < sum.at + 2; });
}

void PacketSums::Follow(size_t byte, uint8_t before) {
  for (const Sum& sum : sums_) {
    if (sum.at == 0) continue;
    const bool covered = byte >= sum.begin && byte < sum.end;
    const bool address = byte >= sum.addresses && byte < sum.addresses_end;
    if (!covered && !address) continue;
    uint8_t* at = frame_.data() + sum.at;
    const size_t origin = covered ? sum.begin : sum.addresses;
    FollowSum(at, (byte - origin) % 2 != 0, before, frame_[byte]);
    if (sum.is_udp && wire::Load16(at) == 0) wire::Store16(at, 0xffff);
  }
}

}  // namespace tester
