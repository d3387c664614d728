// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "wire/icmp_error.h"

#include "wire/ipv4.h"
#include "wire/ipv6.h"

namespace tester::wire {
namespace {

// Destination unreachable, source quench, redirect, time exceeded, parameter problem.
bool IsError4(uint8_t type) {
  return type == 3 || type == 4 || type == 5 || type == 11 || type == 12;
}

// RFC 4443 section 2.1: those above are informational.
bool IsError6(uint8_t type) { return type < 128; }

}  // namespace

std::optional<IcmpError> IcmpError::Parse(uint8_t ip_version, uint8_t protocol, Frame message) {
  constexpr size_t kHeaderBytes = 8;
  if (message.size() < kHeaderBytes) return std::nullopt;
  const bool is_error = ip_version == 4 ? protocol == kProtocolIcmp && IsError4(message[0])
                                        : protocol == kNextHeaderIcmp6 && IsError6(message[0]);
  if (!is_error) return std::nullopt;
  return IcmpError{.ip_version = ip_version, .type = message[0], .code = message[1]};
}

}  // namespace tester::wire
