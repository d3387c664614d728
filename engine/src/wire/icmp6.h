// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Neighbour discovery (RFC 4861): solicitations and advertisements with their IPv6 header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "wire/bytes.h"
#include "wire/ipv6.h"

namespace tester::wire {

inline constexpr uint8_t kNeighbourSolicitation = 135;
inline constexpr uint8_t kNeighbourAdvertisement = 136;
// IPv6 header, message and one link-layer address option.
inline constexpr size_t kNeighbourPacketBytes = kIpv6HeaderBytes + 24 + 8;

struct NeighbourMessage {
  Ipv6Address source;
  Ipv6Address destination;
  uint8_t type;
  bool solicited = false;  // advertisements only
  Ipv6Address target;
  // Source link-layer address in solicitations, target link-layer address in advertisements.
  std::optional<Mac> link_address;

  // Nothing for packets that a receiver has to discard (RFC 4861 7.1).
  static std::optional<NeighbourMessage> Parse(Frame packet);
  // With the right checksum, link-layer address option included. `to` holds at least
  // kNeighbourPacketBytes; `link_address` is set.
  void Write(MutableFrame to) const;
};

}  // namespace tester::wire
