// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The packet that a row is about: where its headers and its payload are, how much of that is taken,
// and how many bytes that came before, and were not kept, belong behind it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "responder/machine/machine.h"
#include "wire/bytes.h"
#include "wire/icrc.h"

namespace tester::machine {

struct Packet {
  const uint8_t* frame = nullptr;
  std::array<uint16_t, kMaxHeaders> headers{};  // where they begin
  uint32_t payload = 0;                         // where it begins
  uint32_t payload_bytes = 0;
  uint32_t taken = 0;
  uint32_t before = 0;  // bytes behind the payload
  PacketFacts facts{};

  uint32_t left() const { return payload_bytes + before - taken; }
  // The bytes of the payload that are left and that this frame has.
  Frame rest() const {
    const uint32_t from = std::min(taken, payload_bytes);
    return {frame + payload + from, payload_bytes - from};
  }
  // Takes up to `octets` bytes off the payload. Returns their number.
  uint32_t Take(int64_t octets) {
    const auto bytes = static_cast<uint32_t>(std::clamp<int64_t>(octets, 0, left()));
    taken += bytes;
    facts[kPayloadLeft] = left();
    return bytes;
  }
  void Lengthen(int64_t octets) {
    constexpr int64_t kMost = INT32_MAX;
    before = static_cast<uint32_t>(std::clamp<int64_t>(octets, 0, kMost - before)) + before;
    facts[kPayloadLeft] = left();
  }
};

enum class Parsed : uint8_t { kGood, kForeign, kMalformed };

// A frame without FCS. kForeign: it is of another stack. kMalformed: a wrong length or checksum, or
// a fragment.
Parsed Parse(const Machine& machine, Frame frame, Packet& packet);

// Whether the headers are these two behind Ethernet and nothing else.
template <typename Headers>
bool IsTcpOverIpv4(const Headers& headers) {
  return headers.size() == 3 && headers[1].kind == HeaderKind::kIpv4 &&
         headers[2].kind == HeaderKind::kTcp;
}

// The sum of the pseudo header behind an IP header (RFC 9293 3.1, RFC 8200 8.1).
uint64_t PseudoHeaderSum(HeaderKind ip, const uint8_t* header, uint8_t protocol, size_t bytes);

// TCP 6, UDP 17, ICMPv6 58; 0 without pseudo header.
constexpr uint8_t ProtocolOf(HeaderKind kind) {
  if (kind == HeaderKind::kTcp) return 6;
  if (kind == HeaderKind::kUdp) return 17;
  return kind == HeaderKind::kIcmpv6 ? 58 : 0;
}

// The offset of the checksum in its header; 0: no checksum.
constexpr size_t ChecksumOffset(HeaderKind kind) {
  switch (kind) {
    case HeaderKind::kIpv4:
      return 10;
    case HeaderKind::kUdp:
      return 6;
    case HeaderKind::kTcp:
      return 16;
    case HeaderKind::kIcmp:
    case HeaderKind::kIcmpv6:
      return 2;
    default:
      return 0;
  }
}

struct LengthField {
  size_t offset;       // 0: there is none
  size_t not_counted;  // bytes of the header that it leaves out
};

constexpr LengthField LengthOf(HeaderKind kind) {
  switch (kind) {
    case HeaderKind::kIpv4:
      return {2, 0};
    case HeaderKind::kIpv6:
      return {4, 40};
    case HeaderKind::kUdp:
      return {4, 0};
    case HeaderKind::kGtpU:
      return {2, 8};
    default:
      return {0, 0};
  }
}

// Bytes of the check behind the payload of a header.
constexpr size_t TrailerBytes(HeaderKind kind) {
  return kind == HeaderKind::kBth ? wire::kIcrcBytes : 0;
}

constexpr bool IsIp(HeaderKind kind) {
  return kind == HeaderKind::kIpv4 || kind == HeaderKind::kIpv6;
}

}  // namespace tester::machine
