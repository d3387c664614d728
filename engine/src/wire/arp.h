// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// ARP for IPv4 over Ethernet (RFC 826): the value and its 28 bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "wire/bytes.h"

namespace tester::wire {

inline constexpr size_t kArpBytes = 28;

struct Arp {
  enum Operation : uint16_t { kRequest = 1, kReply = 2 };

  uint16_t operation;
  Mac sender_mac;
  std::array<uint8_t, 4> sender_address;
  Mac target_mac;
  std::array<uint8_t, 4> target_address;

  // Nothing for other hardware, other protocols and short packets.
  static std::optional<Arp> Parse(Frame packet);
  // `to` holds at least kArpBytes.
  void Write(MutableFrame to) const;
};

}  // namespace tester::wire
