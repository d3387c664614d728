// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "receiver/integrity.h"

#include <algorithm>
#include <array>
#include <utility>

#include "wire/ethernet.h"
#include "wire/ipv4.h"
#include "wire/signature.h"
#include "wire/udp.h"

namespace tester {
namespace {

constexpr size_t kUdpLengthOffset = 4;  // in its header

// The length in a UDP header before the payload, for the bytes up to the end of the signature; 0
// without such a header.
uint16_t UdpLengthBefore(Frame frame, size_t end, size_t payload_bytes) {
  if (end < payload_bytes + kUdpHeaderBytes) return 0;
  const size_t header = end - payload_bytes - kUdpHeaderBytes;
  const uint16_t bytes = wire::Load16(frame.data() + header + kUdpLengthOffset);
  return bytes == payload_bytes + kUdpHeaderBytes ? bytes : uint16_t{0};
}

// A device that puts several frames of a stream into one leaves each its signature.
bool FollowsSignature(const SignedFrame& seen, size_t payload_bytes) {
  if (seen.end < payload_bytes + wire::kSignatureBytes) return false;
  const uint8_t* before = seen.frame.data() + seen.end - payload_bytes - wire::kSignatureBytes;
  return wire::Load16(before) == wire::Load16(seen.signature) &&
         wire::SignatureSum(before) == wire::SignatureSum(seen.signature);
}

// Protocols that carry packets of others: a device may add or remove them.
bool IsTunnel(uint8_t protocol) {
  constexpr std::array<uint8_t, 7> kTunnels = {4, 41, 47, 50, 51, 97, 115};
  return std::find(kTunnels.begin(), kTunnels.end(), protocol) != kTunnels.end();
}

// Whether two packets have comparable payloads: not where the device has added or removed a tunnel.
bool CarryTheSame(const wire::Shape& sent, const wire::Shape& seen) {
  const bool other_port = seen.udp_port != 0 && seen.udp_port != sent.udp_port;
  return sent.ip_version != 0 && seen.ip_version != 0 && sent.protocol == seen.protocol &&
         !IsTunnel(seen.protocol) && !other_port;
}

bool CarryAsMuch(const wire::Shape& sent, const wire::Shape& seen) {
  constexpr size_t kMostTcpOptions = 40;  // which a device may add or remove
  const auto [less, more] = std::minmax(sent.body_bytes, seen.body_bytes);
  return more - less <= (seen.protocol == wire::kProtocolTcp ? kMostTcpOptions : 0);
}

}  // namespace

Integrity::Integrity(const Sent& sent)
    : order_(sent.order, sent.frames.size()),
      compares_(sent.payload_offset != 0),
      changes_(sent.edited),
      sends_fragments_(sent.fragments_by_field) {
  for (const auto& frame : sent.frames) {
    const wire::Shape shape = wire::Shape::Of(frame, frame.size());
    sends_fragments_ |= shape.fragment;
    sends_icmp_errors_ |= shape.icmp_error.has_value();
    Expectation expected{.bytes = frame.size(),
                         .shape = shape,
                         .payload = {},
                         .headers = {frame, sent.headers, sent.payload_offset},
                         .has_more_payload = false,
                         .udp_bytes = 0};
    if (compares_) {
      const auto end = frame.end() - static_cast<ptrdiff_t>(wire::kSignatureBytes);
      expected.payload.assign(frame.begin() + static_cast<ptrdiff_t>(sent.payload_offset), end);
      expected.udp_bytes = UdpLengthBefore(frame, frame.size(), frame.size() - sent.payload_offset);
    }
    expected.has_more_payload = compares_ && !expected.headers.compares_payload();
    frames_.push_back(std::move(expected));
  }
}

const Integrity::Expectation& Integrity::Choose(OrderPlace& place, uint64_t sequence) const {
  uint16_t frame = 0;
  order_.Choose(place, sequence, 1, &frame);
  return frames_[frame];
}

Damage Integrity::LookAtShape(const wire::Shape& shape, const SignedFrame& seen) const {
  if (shape.icmp_error && !sends_icmp_errors_) return Damage::kQuoted;
  if (shape.fragment && !sends_fragments_) return Damage::kFragment;
  // A device that adds or removes a tag may pad the frame after that.
  const size_t most_padded = wire::kMinFrameBytes + shape.tags * wire::kVlanTagBytes;
  return seen.end < seen.bytes && seen.bytes > most_padded ? Damage::kLength : Damage::kNone;
}

Damage Integrity::LookAlone(const SignedFrame& seen) const {
  const Damage damage = LookAtShape(wire::Shape::Of(seen.frame, seen.bytes), seen);
  if (damage != Damage::kNone || seen.frame.size() != seen.bytes) return damage;
  return FaultsOfAny(seen) == wire::kNoFaults ? Damage::kNone : Damage::kHeaders;
}

// Faults that the frame has, whichever frame of the stream it is.
wire::HeaderFaults Integrity::FaultsOfAny(const SignedFrame& seen) const {
  wire::HeaderFaults common = wire::kAllFaults;
  for (const Expectation& sent : frames_) {
    const wire::HeaderFaults faults = sent.headers.Faults(seen.frame, seen.end);
    if (faults == wire::kNoFaults) return faults;
    if ((common & faults) != wire::kNoFaults) common &= faults;
  }
  return common;
}

wire::HeaderFaults Integrity::FaultsOf(OrderPlace& place, bool numbered, uint64_t sequence,
                                       const SignedFrame& seen) const {
  return numbered ? At(place, sequence).headers.Faults(seen.frame, seen.end) : FaultsOfAny(seen);
}

Damage Integrity::LookAtHeaders(const Expectation& sent, const SignedFrame& seen) const {
  const bool right = sent.headers.Faults(seen.frame, seen.end) == wire::kNoFaults;
  return right ? Damage::kNone : Damage::kHeaders;
}

Damage Integrity::LookCloser(const Expectation& sent, const SignedFrame& seen) const {
  const Damage damage = LookAtLengths(sent, seen);
  if (damage != Damage::kNone || seen.frame.size() != seen.bytes) return damage;
  return LookAtHeaders(sent, seen);
}

Damage Integrity::LookAtLengths(const Expectation& sent, const SignedFrame& seen) const {
  const wire::Shape shape = wire::Shape::Of(seen.frame, seen.bytes);
  if (const Damage damage = LookAtShape(shape, seen); damage != Damage::kNone) return damage;
  const bool comparable = CarryTheSame(sent.shape, shape);
  // Both packets end at the same distance from the signature: 0, unless there is an Ethernet
  // trailer.
  const bool ends_there = seen.end - shape.end == sent.bytes - sent.shape.end;
  const bool as_much = ends_there && CarryAsMuch(sent.shape, shape);
  if (!compares_ || seen.frame.size() != seen.bytes) {
    return comparable && !as_much ? Damage::kLength : Damage::kNone;
  }
  if (!HasPayload(sent, seen)) return comparable && as_much ? Damage::kContent : Damage::kLength;
  const size_t payload_bytes = sent.payload.size() + wire::kSignatureBytes;
  if (sent.udp_bytes != 0 && UdpLengthBefore(seen.frame, seen.end, payload_bytes) == 0) {
    return Damage::kLength;
  }
  return FollowsSignature(seen, payload_bytes) ? Damage::kLength : Damage::kNone;
}

}  // namespace tester
