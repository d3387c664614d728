// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/stamps/stamp.h"

#include <cstring>

#include "wire/checksum.h"
#include "wire/ipv4.h"
#include "wire/udp.h"

namespace tester {
namespace {

constexpr uint8_t kStampKind = 0x0f;
constexpr uint8_t kStampKindOfUdp = 0x11;
constexpr size_t kMostTcpHeaderBytes = 60;
constexpr size_t kTcpOffsetOffset = 12;
constexpr uint8_t kTcpOffsetOfStamp = (kStampBytes / 4) << 4;
constexpr size_t kUdpLengthOffset = 4;
constexpr size_t kIpv4LengthOffset = 2;
constexpr size_t kIpv6LengthOffset = 4;
constexpr size_t kGtpLengthOffset = 2;
constexpr uint8_t kEndOfOptions = 0;
constexpr uint8_t kNoOperation = 1;

// How lengths change; as a summand of a checksum, too.
struct Growth {
  static Growth Of(int bytes) {
    const auto number = static_cast<uint16_t>(bytes);
    return {.bytes = number,
            .summand = bytes < 0 ? wire::Negative(static_cast<uint64_t>(-bytes)) : number};
  }
  uint16_t bytes;  // modulo 2^16
  uint64_t summand;
};

void GrowLength(uint8_t* length, Growth growth) {
  wire::Store16(length, static_cast<uint16_t>(wire::Load16(length) + growth.bytes));
}

// HC' = ~(~HC + change) (RFC 1624).
uint16_t Followed(uint16_t sum, uint64_t change) {
  return wire::Negative(uint64_t{wire::Negative(sum)} + change);
}

// Lengths and checksum of an IP header follow. Returns how the sum of its words changes.
uint64_t FollowIp(uint8_t* frame, const Segment& segment, Growth growth) {
  uint8_t* const ip = frame + segment.network;
  if (segment.ip_version == 6) {
    GrowLength(ip + kIpv6LengthOffset, growth);
    return growth.summand;
  }
  GrowLength(ip + kIpv4LengthOffset, growth);
  wire::Store16(ip + kIpv4SumOffset, Followed(wire::Load16(ip + kIpv4SumOffset), growth.summand));
  return 0;
}

// Updates a UDP header whose payload changes by `growth`.
uint64_t FollowUdp(uint8_t* udp, uint64_t change, Growth growth) {
  GrowLength(udp + kUdpLengthOffset, growth);
  change += growth.summand;
  const uint16_t sum = wire::Load16(udp + kUdpSumOffset);
  if (sum == 0) return change;  // no checksum (RFC 768)
  const uint16_t followed = Followed(sum, change + growth.summand);
  wire::Store16(udp + kUdpSumOffset, followed == 0 ? 0xffff : followed);
  // The sum over datagram and pseudo header is as before; the length is part of both.
  return wire::Negative(growth.summand);
}

// Updates all headers for a change of the transport header, including options of TCP, or of its
// payload. `change`: of the sum of its words, from the begin of the header on.
void FollowChange(uint8_t* frame, const StampPlace& place, uint64_t change, Growth growth) {
  uint8_t* const transport = frame + place.inner.transport;
  if (place.is_tcp()) {
    const uint16_t sum = wire::Load16(transport + kTcpSumOffset);
    wire::Store16(transport + kTcpSumOffset, Followed(sum, change + growth.summand));
    change = wire::Negative(growth.summand);
  } else {
    change = FollowUdp(transport, change, growth);
  }
  change += FollowIp(frame, place.inner, growth);
  if (!place.in_tunnel) return;
  if (place.gtp) {
    GrowLength(frame + place.tunnel + kGtpLengthOffset, growth);
    change += growth.summand;
  }
  FollowUdp(frame + place.outer->transport, change, growth);
  FollowIp(frame, *place.outer, growth);
}

// A stamp as two words, each of two bytes and 48 bits of a time: a reader of words does not wait
// for store forwarding.
struct Words {
  static_assert(kStampBytes == 16);

  static Words At(const uint8_t* stamp) { return {wire::Load64(stamp), wire::Load64(stamp + 8)}; }
  static Words Of(const Stamp& stamp, bool tcp) {
    const uint64_t length = tcp ? uint8_t{kStampBytes} : kStampKindOfUdp;
    return {uint64_t{kStampKind} << 56 | length << 48 | (stamp.first_ns & kStampTimeMask),
            uint64_t{stamp.flow} << 48 | (stamp.second_ns & kStampTimeMask)};
  }
  void Write(uint8_t* to) const {
    wire::Store64(to, first);
    wire::Store64(to + 8, second);
  }
  // The sum of 16-bit words. Words of 32 bits have the same sum modulo 2^16 - 1.
  uint64_t Sum() const {
    return (first >> 32) + (first & UINT32_MAX) + (second >> 32) + (second & UINT32_MAX);
  }

  uint64_t first;
  uint64_t second;
};

// Whether a header of TCP has an option of our kind.
bool IsOccupied(Frame frame, const StampPlace& place) {
  for (size_t at = place.stamp(); at < place.inner.payload;) {
    const uint8_t kind = frame[at];
    if (kind == kStampKind) return true;
    if (kind == kEndOfOptions) return false;
    if (kind == kNoOperation) {
      ++at;
      continue;
    }
    if (at + 1 >= place.inner.payload || frame[at + 1] < 2) return false;
    at += frame[at + 1];
  }
  return false;
}

}  // namespace

Fit FitOf(const RoomyFrame& frame, const StampPlace& place, const StampLimits& limits) {
  if (!place.has_transport()) return Fit::kUnfit;
  const bool tcp = place.is_tcp();
  if (!tcp && !limits.grows) {
    return place.inner.end - place.inner.payload < kStampBytes ? Fit::kNoRoom : Fit::kFits;
  }
  if (tcp && place.inner.payload - place.inner.transport + kStampBytes > kMostTcpHeaderBytes) {
    return IsOccupied(frame.frame(), place) ? Fit::kOccupied : Fit::kNoRoom;
  }
  if (tcp && IsOccupied(frame.frame(), place)) return Fit::kOccupied;
  if (place.packet_bytes() + kStampBytes > limits.packet_bytes) return Fit::kTooLong;
  if (frame.bytes + kStampBytes > limits.frame_bytes) return Fit::kTooLong;
  return frame.headroom < kStampBytes ? Fit::kNoRoom : Fit::kFits;
}

void InsertStamp(RoomyFrame& frame, const StampPlace& place, const Stamp& stamp, bool grows) {
  const bool tcp = place.is_tcp();
  const size_t at = place.stamp();
  const Words words = Words::Of(stamp, tcp);
  if (!tcp && !grows) {
    const uint64_t before = Words::At(frame.data + at).Sum();
    words.Write(frame.data + at);
    FollowChange(frame.data, place, words.Sum() + wire::Negative(before), Growth::Of(0));
    return;
  }
  uint8_t* const data = frame.data - kStampBytes;
  std::memmove(data, frame.data, at);
  frame = {
      .data = data, .bytes = frame.bytes + kStampBytes, .headroom = frame.headroom - kStampBytes};
  words.Write(data + at);
  uint64_t change = words.Sum();
  if (tcp) {
    data[place.inner.transport + kTcpOffsetOffset] =
        static_cast<uint8_t>(data[place.inner.transport + kTcpOffsetOffset] + kTcpOffsetOfStamp);
    change += uint64_t{kTcpOffsetOfStamp} << 8;
  }
  FollowChange(data, place, change, Growth::Of(kStampBytes));
}

std::optional<Stamp> ReadStamp(Frame frame, const StampPlace& place) {
  if (!place.has_transport()) return std::nullopt;
  const bool tcp = place.is_tcp();
  const size_t at = place.stamp();
  if (at + kStampBytes > (tcp ? place.inner.payload : place.inner.end)) return std::nullopt;
  const Words words = Words::At(frame.data() + at);
  const Stamp stamp{.first_ns = words.first & kStampTimeMask,
                    .flow = static_cast<uint16_t>(words.second >> 48),
                    .second_ns = words.second & kStampTimeMask};
  if (words.first != Words::Of(stamp, tcp).first) return std::nullopt;
  return stamp;
}

void CompleteStamp(const RoomyFrame& frame, const StampPlace& place, uint64_t second_ns) {
  uint8_t* const stamp = frame.data + place.stamp();
  const Words before = Words::At(stamp);
  const Words after{before.first, (before.second & ~kStampTimeMask) | (second_ns & kStampTimeMask)};
  after.Write(stamp);
  FollowChange(frame.data, place, after.Sum() + wire::Negative(before.Sum()), Growth::Of(0));
}

void RemoveStamp(RoomyFrame& frame, const StampPlace& place) {
  uint64_t change = wire::Negative(Words::At(frame.data + place.stamp()).Sum());
  if (place.is_tcp()) {
    uint8_t& offset = frame.data[place.inner.transport + kTcpOffsetOffset];
    offset = static_cast<uint8_t>(offset - kTcpOffsetOfStamp);
    change += wire::Negative(uint64_t{kTcpOffsetOfStamp} << 8);
  }
  FollowChange(frame.data, place, change, Growth::Of(-static_cast<int>(kStampBytes)));
  std::memmove(frame.data + kStampBytes, frame.data, place.stamp());
  frame = {.data = frame.data + kStampBytes,
           .bytes = frame.bytes - kStampBytes,
           .headroom = frame.headroom + kStampBytes};
}

}  // namespace tester
