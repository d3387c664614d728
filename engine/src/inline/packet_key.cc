// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/packet_key.h"

#include <algorithm>
#include <cstring>

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
  const uint8_t* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) hash = Mix(hash, wire::Load64(at));
  uint64_t rest = 0;
  std::memcpy(&rest, at, left);
  return left == 0 ? hash : Mix(hash, rest);
}

bool HasPorts(const StampPlace& place) { return place.has_transport(); }

}  // namespace

FlowEnds FlowEndsOf(Frame frame, const StampPlace& place) {
  FlowEnds ends;
  const Addresses addresses = AddressesOf(frame, place.inner);
  std::copy_n(addresses.source, addresses.bytes, ends.source.begin());
  std::copy_n(addresses.destination, addresses.bytes, ends.destination.begin());
  ends.protocol = place.inner.protocol;
  ends.ip_version = place.inner.ip_version;
  if (HasPorts(place)) {
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
      HasPorts(place) ? wire::Load<uint32_t>(frame.data() + place.inner.transport) : 0;
  return Mix(hash, ports << 8 | place.inner.protocol);
}

uint64_t KeptHash(Frame frame, const StampPlace& place, uint32_t kept) {
  const Segment& segment = place.inner;
  const Addresses addresses = AddressesOf(frame, segment);
  const bool tcp = place.is_tcp();
  uint64_t hash =
      Mix(kMixBegin, segment.protocol | static_cast<uint64_t>(segment.tcp_flags & kKeptFlags) << 8);
  if (Keeps(kept, Kept::kSource)) hash = MixAddress(hash, addresses.source, addresses.bytes);
  if (Keeps(kept, Kept::kDestination))
    hash = MixAddress(hash, addresses.destination, addresses.bytes);
  uint64_t word = 0;
  if (HasPorts(place)) {
    const uint8_t* const ports = frame.data() + segment.transport;
    if (Keeps(kept, Kept::kSourcePort)) word |= wire::Load16(ports);
    if (Keeps(kept, Kept::kDestinationPort)) word |= uint64_t{wire::Load16(ports + 2)} << 16;
  }
  if (Keeps(kept, Kept::kIdentification) && segment.ip_version == 4) {
    word |= uint64_t{wire::Load16(frame.data() + segment.network + 4)} << 32;
  }
  hash = Mix(hash, word);
  if (tcp) {
    const uint64_t sequence = Keeps(kept, Kept::kSequence) ? segment.sequence : 0;
    const uint64_t acknowledgment = Keeps(kept, Kept::kAcknowledgment)
                                        ? wire::Load<uint32_t>(frame.data() + segment.transport + 8)
                                        : 0;
    hash = Mix(hash, sequence << 32 | acknowledgment);
  }
  if (Keeps(kept, Kept::kPayload)) {
    const Frame payload = frame.subspan(segment.payload, segment.end - segment.payload);
    hash = Mix(hash, payload.size());
    hash = MixBytes(hash, payload.first(std::min(payload.size(), kPayloadBegin)));
    if (payload.size() > kPayloadBegin) {
      hash = MixBytes(hash, payload.last(std::min(payload.size() - kPayloadBegin, kPayloadEnd)));
    }
  }
  return hash | 1;
}

}  // namespace tester
