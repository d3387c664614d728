// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// IPv4 (RFC 791), as far as the engine reads it: where the packet ends inside its frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "wire/bytes.h"

namespace tester::wire {

inline constexpr size_t kIpv4HeaderBytes = 20;

struct Ipv4 {
  size_t header_bytes;
  size_t total_bytes;  // header included; never more than the packet has

  static std::optional<Ipv4> Parse(Frame packet);
};

}  // namespace tester::wire
