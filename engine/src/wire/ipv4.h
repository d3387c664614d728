// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// IPv4 (RFC 791), as far as the engine reads it: where the packet ends inside its frame, and what
// it carries.
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
  bool fragment;        // there are more, or some before
  bool later_fragment;  // some before: it begins with none of the headers of what is carried

  // `packet` may be the begin of a longer one, of `bytes`.
  static std::optional<Ipv4> Parse(Frame packet, size_t bytes);
  static std::optional<Ipv4> Parse(Frame packet) { return Parse(packet, packet.size()); }
};

}  // namespace tester::wire
