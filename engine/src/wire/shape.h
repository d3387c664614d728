// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Properties of a frame that do not change when a device adds tags or rewrites addresses: protocol
// and length of the outermost IP packet, and whether it is a fragment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "wire/bytes.h"
#include "wire/icmp_error.h"

namespace tester::wire {

struct Shape {
  size_t tags = 0;         // VLAN tags, 0 to 2
  uint8_t ip_version = 0;  // 0: it is no sound IP packet; then nothing below is set
  uint8_t protocol = 0;    // or next header
  size_t end = 0;          // of the packet, from the begin of the frame
  size_t body_bytes = 0;   // of the packet, without its fixed header and IPv4 options
  bool fragment = false;
  uint16_t udp_port = 0;  // of the destination; 0: the packet carries something else
  std::optional<IcmpError> icmp_error{};

  // `frame` may be the begin of a longer one, of `bytes`.
  static Shape Of(Frame frame, size_t bytes);
};

}  // namespace tester::wire
