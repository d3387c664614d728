// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// ICMP errors: messages about a packet, which they quote (RFC 792, RFC 4443 section 3, RFC 1122
// section 3.2.2).
#pragma once

#include <cstdint>
#include <optional>

#include "wire/bytes.h"

namespace tester::wire {

struct IcmpError {
  uint8_t ip_version;  // 4 or 6
  uint8_t type;
  uint8_t code;

  bool operator==(const IcmpError&) const = default;

  // Parses a message that an IP packet with this protocol number, or next header, carries. Nothing
  // when it is not an ICMP error.
  static std::optional<IcmpError> Parse(uint8_t ip_version, uint8_t protocol, Frame message);
};

}  // namespace tester::wire
