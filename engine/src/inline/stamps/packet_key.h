// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The keys of a packet in front of a device and behind it: its flow in one direction, and a hash of
// the fields that the device keeps.
#pragma once

#include <array>
#include <cstdint>

#include "inline/stamps/stamp_place.h"
#include "wire/bytes.h"

namespace tester {

// Addresses as IPv6 has them; of IPv4 the first four bytes.
struct FlowEnds {
  std::array<uint8_t, 16> source{};
  std::array<uint8_t, 16> destination{};
  uint16_t source_port = 0;
  uint16_t destination_port = 0;
  uint8_t protocol = 0;
  uint8_t ip_version = 0;
};

// `place` was found.
FlowEnds FlowEndsOf(Frame frame, const StampPlace& place);

// A hash of the same, without them.
uint64_t FlowHash(Frame frame, const StampPlace& place);

// A hash of the fields that a device keeps (a sum of Kept).
class KeptHash {
 public:
  explicit KeptHash(uint32_t kept);

  // Never 0. It covers the first 64 and the last 16 bytes of the payload, and its length: packets
  // that differ only elsewhere have the same key.
  uint64_t Of(Frame frame, const StampPlace& place) const;

 private:
  // Masks of the kept fields; fields that are not kept read as 0.
  uint64_t source_;
  uint64_t destination_;
  uint64_t addresses_;  // of IPv4
  uint64_t ends_;
  uint64_t numbers_;  // sequence and acknowledgment
  bool payload_;
};

}  // namespace tester
