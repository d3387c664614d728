// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/stamps/packet_key.h"

#include <algorithm>

#include "base/mix.h"

namespace tester {
namespace {

constexpr size_t kPayloadBegin = 64;
constexpr size_t kPayloadEnd = 16;
// FIN, SYN and RST: a device that changes these does not forward.
constexpr uint8_t kKeptFlags = 0x07;

struct Addresses {
  const uint8_t* source;
  const uint8_t* destination;
  size_t bytes;
};

Addresses AddressesOf(Frame frame, const Segment& segment) {
  const uint8_t* const ip = frame.data() + segment.network;
  if (segment.ip_version == 4) return {.source = ip + 12, .destination = ip + 16, .bytes = 4};
  return {.source = ip + 8, .destination = ip + 24, .bytes = 16};
}

uint64_t MixAddress(uint64_t hash, const uint8_t* address, size_t bytes) {
  if (bytes == 4) return Mix(hash, wire::Load<uint32_t>(address));
  return Mix(Mix(hash, wire::Load64(address)), wire::Load64(address + 8));
}

uint64_t MixBytes(uint64_t hash, Frame bytes) {
  constexpr size_t kWord = 8;
  if (bytes.size() < kWord) {
    uint64_t word = 0;
    for (const uint8_t byte : bytes) word = word << 8 | byte;
    return bytes.empty() ? hash : Mix(hash, word);
  }
  size_t at = 0;
  for (; at + kWord <= bytes.size(); at += kWord) hash = Mix(hash, wire::Load64(&bytes[at]));
  // The last word has some bytes twice, which takes fewer steps than a shorter one would.
  return at == bytes.size() ? hash : Mix(hash, wire::Load64(&bytes[bytes.size() - kWord]));
}

constexpr uint64_t AllIf(uint32_t kept, Kept field) { return Keeps(kept, field) ? UINT64_MAX : 0; }

// Bit positions in the word with payload length, ports and identification.
constexpr unsigned kPayloadSizeAt = 48;
constexpr unsigned kPortsAt = 16;
constexpr uint64_t kPayloadSizeBits = uint64_t{0xffff} << kPayloadSizeAt;
constexpr uint64_t kSourcePortBits = uint64_t{0xffff} << 32;
constexpr uint64_t kDestinationPortBits = uint64_t{0xffff} << kPortsAt;
constexpr uint64_t kIdentificationBits = 0xffff;

}  // namespace

FlowEnds FlowEndsOf(Frame frame, const StampPlace& place) {
  FlowEnds ends;
  const Addresses addresses = AddressesOf(frame, place.inner);
  std::copy_n(addresses.source, addresses.bytes, ends.source.begin());
  std::copy_n(addresses.destination, addresses.bytes, ends.destination.begin());
  ends.protocol = place.inner.protocol;
  ends.ip_version = place.inner.ip_version;
  if (place.has_transport()) {
    ends.source_port = wire::Load16(frame.data() + place.inner.transport);
    ends.destination_port = wire::Load16(frame.data() + place.inner.transport + 2);
  }
  return ends;
}

uint64_t FlowHash(Frame frame, const StampPlace& place) {
  const Addresses addresses = AddressesOf(frame, place.inner);
  uint64_t hash = MixAddress(kMixBegin, addresses.source, addresses.bytes);
  hash = MixAddress(hash, addresses.destination, addresses.bytes);
  const uint64_t ports =
      place.has_transport() ? wire::Load<uint32_t>(frame.data() + place.inner.transport) : 0;
  return Mix(hash, ports << 8 | place.inner.protocol);
}

KeptHash::KeptHash(uint32_t kept)
    : source_(AllIf(kept, Kept::kSource)),
      destination_(AllIf(kept, Kept::kDestination)),
      addresses_(source_ << 32 | destination_ >> 32),
      ends_((AllIf(kept, Kept::kSourcePort) & kSourcePortBits) |
            (AllIf(kept, Kept::kDestinationPort) & kDestinationPortBits) |
            (AllIf(kept, Kept::kIdentification) & kIdentificationBits) |
            (AllIf(kept, Kept::kPayload) & kPayloadSizeBits)),
      numbers_(AllIf(kept, Kept::kSequence) << 32 | AllIf(kept, Kept::kAcknowledgment) >> 32),
      payload_(Keeps(kept, Kept::kPayload)) {}

uint64_t KeptHash::Of(Frame frame, const StampPlace& place) const {
  const Segment& segment = place.inner;
  const uint8_t* const ip = frame.data() + segment.network;
  const uint8_t* const transport = frame.data() + segment.transport;
  const Frame payload = frame.subspan(segment.payload, segment.end - segment.payload);
  uint64_t hash =
      Mix(kMixBegin, segment.protocol | static_cast<uint64_t>(segment.tcp_flags & kKeptFlags) << 8);
  uint64_t ends = uint64_t{payload.size()} << kPayloadSizeAt;
  if (place.has_transport()) ends |= uint64_t{wire::Load<uint32_t>(transport)} << kPortsAt;
  if (segment.ip_version == 4) [[likely]] {
    hash = Mix(hash, wire::Load64(ip + 12) & addresses_);
    ends |= wire::Load16(ip + 4);
  } else {
    hash = Mix(Mix(hash, wire::Load64(ip + 8) & source_), wire::Load64(ip + 16) & source_);
    hash =
        Mix(Mix(hash, wire::Load64(ip + 24) & destination_), wire::Load64(ip + 32) & destination_);
  }
  hash = Mix(hash, ends & ends_);
  if (place.is_tcp()) hash = Mix(hash, wire::Load64(transport + 4) & numbers_);
  if (payload_) {
    hash = MixBytes(hash, payload.first(std::min(payload.size(), kPayloadBegin)));
    if (payload.size() > kPayloadBegin) {
      hash = MixBytes(hash, payload.last(std::min(payload.size() - kPayloadBegin, kPayloadEnd)));
    }
  }
  return hash | 1;
}

}  // namespace tester
