// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The fixed IPv6 header (RFC 8200).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "wire/bytes.h"

namespace tester::wire {

using Ipv6Address = std::array<uint8_t, 16>;

inline constexpr size_t kIpv6HeaderBytes = 40;
inline constexpr uint8_t kNextHeaderFragment = 44;
inline constexpr uint8_t kNextHeaderIcmp6 = 58;
inline constexpr Ipv6Address kIpv6Unspecified = {};
inline constexpr Ipv6Address kIpv6AllNodes = {0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

struct Ipv6 {
  size_t payload_bytes;  // never more than the packet has
  uint8_t next_header;
  uint8_t hop_limit;
  Ipv6Address source;
  Ipv6Address destination;

  // `packet` may be the begin of a longer one, of `bytes`.
  static std::optional<Ipv6> Parse(Frame packet, size_t bytes);
  static std::optional<Ipv6> Parse(Frame packet) { return Parse(packet, packet.size()); }
  // `to` holds at least kIpv6HeaderBytes.
  void Write(MutableFrame to) const;
  // The pseudo header's part of an upper layer checksum.
  uint64_t PseudoSum() const;
};

// ff02::1:ffXX:XXXX (RFC 4291 2.7.1) and 33:33:XX:XX:XX:XX (RFC 2464 7).
Ipv6Address SolicitedNode(const Ipv6Address& address);
Mac MulticastMac(const Ipv6Address& group);

}  // namespace tester::wire
