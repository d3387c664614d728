// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// IPv4 (RFC 791), as far as the engine reads it: the end of the packet in its frame, and its
// payload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "wire/bytes.h"

namespace tester::wire {

inline constexpr size_t kIpv4HeaderBytes = 20;
inline constexpr uint8_t kProtocolIcmp = 1;
inline constexpr uint8_t kProtocolTcp = 6;
inline constexpr uint8_t kProtocolUdp = 17;

struct Ipv4 {
  size_t header_bytes;
  size_t total_bytes;  // header included; never more than the packet has
  uint8_t protocol;
  bool fragment;  // more fragments follow, or this is not the first
  // A fragment other than the first one: it does not begin with the header of its payload.
  bool later_fragment;

  // `packet` may be the begin of a longer one, of `bytes`.
  static std::optional<Ipv4> Parse(Frame packet, size_t bytes);
  static std::optional<Ipv4> Parse(Frame packet) { return Parse(packet, packet.size()); }
};

}  // namespace tester::wire
