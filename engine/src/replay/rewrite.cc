// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "replay/rewrite.h"

#include <algorithm>

#include "wire/checksum.h"
#include "wire/ethernet.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"

namespace tester {
namespace {

constexpr uint8_t kTcp = 6;
constexpr uint8_t kUdp = 17;

// The amount added to the sum of the bytes that a checksum covers; 0 for none.
using Difference = uint64_t;

template <size_t kBytes>
Difference Replace(const std::map<std::array<uint8_t, kBytes>, std::array<uint8_t, kBytes>>& rules,
                   uint8_t* at) {
  std::array<uint8_t, kBytes> address;
  std::copy_n(at, kBytes, address.begin());
  const auto found = rules.find(address);
  if (found == rules.end()) return 0;
  std::copy_n(found->second.begin(), kBytes, at);
  return wire::Negative(wire::Sum(address)) + wire::Sum(found->second);
}

// Both are at even offsets from the packet's begin. RFC 1624.
void Adjust(uint8_t* checksum, Difference difference) {
  const auto negative = static_cast<uint16_t>(~wire::Load16(checksum));
  wire::Store16(checksum, static_cast<uint16_t>(~wire::Fold(negative + difference)));
}

void AdjustTransport(MutableFrame packet, size_t header_bytes, uint8_t protocol, bool ipv6,
                     Difference difference) {
  size_t offset = 0;
  if (protocol == kTcp) {
    offset = 16;
  } else if (protocol == kUdp) {
    offset = 6;
  } else if (protocol == wire::kNextHeaderIcmp6 && ipv6) {
    offset = 2;
  } else {
    return;
  }
  if (header_bytes + offset + 2 > packet.size()) return;
  uint8_t* const at = packet.data() + header_bytes + offset;
  if (protocol == kUdp && wire::Load16(at) == 0) return;  // it has none
  Adjust(at, difference);
  if (protocol == kUdp && wire::Load16(at) == 0) wire::Store16(at, 0xffff);
}

void ApplyIpv4(const Rewrites& rewrites, MutableFrame packet) {
  const auto header = wire::Ipv4::Parse(packet);
  if (!header) return;
  uint8_t* const at = packet.data();
  const Difference difference = Replace(rewrites.ipv4, at + 12) + Replace(rewrites.ipv4, at + 16);
  if (difference == 0) return;
  Adjust(at + 10, difference);
  constexpr uint16_t kFragmentOffset = 0x1fff;
  if ((wire::Load16(at + 6) & kFragmentOffset) != 0) return;  // no transport header here
  AdjustTransport(packet, header->header_bytes, at[9], false, difference);
}

struct Transport {
  uint8_t protocol;
  size_t header_bytes;  // before it
};

// Behind the extension headers (RFC 8200 4); nothing where a fragment or an end comes before.
std::optional<Transport> FindTransport(MutableFrame packet) {
  constexpr uint8_t kHopByHop = 0;
  constexpr uint8_t kRouting = 43;
  constexpr uint8_t kFragment = 44;
  constexpr uint8_t kOptions = 60;
  constexpr size_t kUnit = 8;
  Transport found{.protocol = packet[6], .header_bytes = wire::kIpv6HeaderBytes};
  while (found.header_bytes + kUnit <= packet.size()) {
    const uint8_t* const at = packet.data() + found.header_bytes;
    switch (found.protocol) {
      case kFragment: {
        constexpr uint16_t kOffset = 0xfff8;
        if ((wire::Load16(at + 2) & kOffset) != 0) return std::nullopt;
        found.header_bytes += kUnit;
        break;
      }
      case kHopByHop:
      case kRouting:
      case kOptions:
        found.header_bytes += kUnit * (at[1] + size_t{1});
        break;
      default:
        return found;
    }
    found.protocol = at[0];
  }
  return std::nullopt;
}

void ApplyIpv6(const Rewrites& rewrites, MutableFrame packet) {
  if (!wire::Ipv6::Parse(packet)) return;
  const Difference difference =
      Replace(rewrites.ipv6, packet.data() + 8) + Replace(rewrites.ipv6, packet.data() + 24);
  if (difference == 0) return;
  if (const auto transport = FindTransport(packet)) {
    AdjustTransport(packet, transport->header_bytes, transport->protocol, true, difference);
  }
}

}  // namespace

void Rewrites::Apply(MutableFrame frame) const {
  const auto ethernet = wire::Ethernet::Parse(frame);
  if (!ethernet) return;
  if (every_destination && !macs.contains(ethernet->destination)) {
    wire::StoreMac(frame.data(), *every_destination);
  } else {
    Replace(macs, frame.data());
  }
  Replace(macs, frame.data() + Mac{}.size());
  const MutableFrame packet = frame.subspan(ethernet->header_bytes);
  if (ethernet->type == wire::kEtherTypeIpv4) ApplyIpv4(*this, packet);
  if (ethernet->type == wire::kEtherTypeIpv6) ApplyIpv6(*this, packet);
}

}  // namespace tester
