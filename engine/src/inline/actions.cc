// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/actions.h"

#include "wire/checksum.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"

namespace tester {
namespace {

constexpr size_t kIpv4ChecksumOffset = 10;
constexpr uint8_t kCongestionExperienced = 0x03;

// HC' = ~(~HC + ~m + m') (RFC 1624), for a byte that begins a 16-bit word of its sum, or ends one.
void FollowChecksum(uint8_t* checksum, bool low, uint8_t before, uint8_t after) {
  const unsigned shift = low ? 0 : 8;
  const auto old_word = static_cast<uint16_t>(before << shift);
  const auto new_word = static_cast<uint16_t>(after << shift);
  const uint64_t sum = uint64_t{wire::Negative(wire::Load16(checksum))} + wire::Negative(old_word) +
                       uint64_t{new_word};
  wire::Store16(checksum, wire::Negative(sum));
}

// A checksum of the packet: where it is, and what of the packet it covers beside the addresses.
struct CoveredBytes {
  size_t at = 0;  // 0: none
  size_t begin = 0;
  size_t end = 0;
};

CoveredBytes NetworkSum(const Segment& segment, Frame frame) {
  if (segment.ip_version != 4) return {};
  const size_t header = static_cast<size_t>(frame[segment.network] & 15) * 4;
  return {.at = segment.network + kIpv4ChecksumOffset,
          .begin = segment.network,
          .end = segment.network + header};
}

CoveredBytes TransportSum(const Segment& segment, Frame frame) {
  if (!segment.has_transport()) return {};
  size_t offset = 0;
  if (segment.protocol == wire::kProtocolTcp) offset = 16;
  if (segment.protocol == wire::kProtocolUdp) offset = 6;
  if (segment.protocol == (segment.ip_version == 4 ? wire::kProtocolIcmp : wire::kNextHeaderIcmp6))
    offset = 2;
  const size_t at = segment.transport + offset;
  if (offset == 0 || at + 2 > segment.end) return {};
  const bool left_out =
      segment.protocol == wire::kProtocolUdp && wire::Load16(frame.data() + at) == 0;
  if (left_out) return {};
  return {.at = at, .begin = segment.transport, .end = segment.end};
}

// Whether the byte is one of the addresses, which transport checksums cover as well.
bool InAddresses(const Segment& segment, size_t byte) {
  const size_t begin = segment.network + (segment.ip_version == 4 ? 12 : 8);
  const size_t bytes = segment.ip_version == 4 ? 8 : 32;
  return byte >= begin && byte < begin + bytes;
}

bool CoversAddresses(const Segment& segment) {
  return segment.ip_version == 6 || segment.protocol != wire::kProtocolIcmp;
}

}  // namespace

bool MarkCe(MutableFrame frame, const Segment& segment) {
  if (!segment.has_network()) return false;
  uint8_t* ip = frame.data() + segment.network;
  if (segment.ip_version == 6) {
    ip[1] = static_cast<uint8_t>(ip[1] | kCongestionExperienced << 4);
    return true;
  }
  const uint8_t before = ip[1];
  ip[1] = before | kCongestionExperienced;
  if (before != ip[1]) FollowChecksum(ip + kIpv4ChecksumOffset, true, before, ip[1]);
  return true;
}

bool Corrupt(MutableFrame frame, const Segment& segment, const CorruptPacket& corrupt) {
  size_t begin = 0;
  if (corrupt.part == Part::kNetwork) begin = segment.network;
  if (corrupt.part == Part::kTransport) begin = segment.transport;
  if (corrupt.part == Part::kPayload) begin = segment.payload;
  if (corrupt.part != Part::kFrame && begin == 0) return false;
  const size_t byte = begin + corrupt.bit / 8;
  if (byte >= segment.end || byte >= frame.size()) return false;
  const CoveredBytes network = NetworkSum(segment, frame);
  const CoveredBytes transport = TransportSum(segment, frame);
  for (const CoveredBytes& sum : {network, transport}) {
    const bool is_sum = sum.at != 0 && byte >= sum.at && byte < sum.at + 2;
    if (corrupt.repair && is_sum) return false;
  }
  const uint8_t before = frame[byte];
  frame[byte] = static_cast<uint8_t>(before ^ 0x80U >> corrupt.bit % 8);
  if (!corrupt.repair) return true;
  for (const CoveredBytes& sum : {network, transport}) {
    if (sum.at == 0) continue;
    const bool covered = byte >= sum.begin && byte < sum.end;
    const bool in_pseudo =
        sum.at == transport.at && CoversAddresses(segment) && InAddresses(segment, byte);
    if (covered || in_pseudo) {
      const size_t origin = covered ? sum.begin : segment.network;
      uint8_t* at = frame.data() + sum.at;
      FollowChecksum(at, (byte - origin) % 2 != 0, before, frame[byte]);
      // 0 says that there is no checksum (RFC 768).
      const bool udp = sum.at == transport.at && segment.protocol == wire::kProtocolUdp;
      if (udp && wire::Load16(at) == 0) wire::Store16(at, 0xffff);
    }
  }
  return true;
}

}  // namespace tester
