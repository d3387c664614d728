// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Other addresses in captured frames, and the checksums that follow them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "wire/bytes.h"

namespace tester {

// Source and destination alike, in the Ethernet header and the outermost IPv4 or IPv6 header.
struct Rewrites {
  std::map<Mac, Mac> macs;
  // Replaces a destination that is not in `macs`.
  std::optional<Mac> every_destination;
  std::map<std::array<uint8_t, 4>, std::array<uint8_t, 4>> ipv4;
  std::map<std::array<uint8_t, 16>, std::array<uint8_t, 16>> ipv6;

  // Checksums of IPv4, TCP, UDP and ICMPv6 change by as much as the addresses do: a wrong checksum
  // stays wrong. A frame that is too short for its headers is changed up to its end.
  void Apply(MutableFrame frame) const;
};

}  // namespace tester
