// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Ethernet II with up to two VLAN tags: a view over the bytes of a frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "wire/bytes.h"

namespace tester::wire {

inline constexpr size_t kMacsBytes = 12;  // both addresses
inline constexpr size_t kMacHeaderBytes = 14;
inline constexpr size_t kFcsBytes = 4;
inline constexpr size_t kLineOverheadBytes = 20;  // preamble, start delimiter, inter-frame gap
inline constexpr size_t kMinFrameBytes = 60;      // without FCS
inline constexpr size_t kVlanTagBytes = 4;
inline constexpr size_t kMaxVlanTags = 2;
inline constexpr uint16_t kEtherTypeIpv4 = 0x0800;
inline constexpr uint16_t kEtherTypeArp = 0x0806;
inline constexpr uint16_t kEtherTypeVlan = 0x8100;
inline constexpr uint16_t kEtherTypeQinq = 0x88a8;
inline constexpr uint16_t kEtherTypeIpv6 = 0x86dd;
inline constexpr Mac kBroadcast = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

constexpr bool IsGroup(const Mac& mac) { return (mac[0] & 1) != 0; }

struct Ethernet {
  Mac destination;
  Mac source;
  uint16_t type;        // behind the tags
  size_t header_bytes;  // tags included: where the payload starts

  // Nothing for frames too short for their own headers.
  static std::optional<Ethernet> Parse(Frame frame);
};

// Writes the header; VLAN 0 writes none. Returns its length. `to` holds at least 18 bytes.
size_t WriteEthernet(MutableFrame to, const Mac& destination, const Mac& source, uint16_t vlan,
                     uint16_t type);

}  // namespace tester::wire
