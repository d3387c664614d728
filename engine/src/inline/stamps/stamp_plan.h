// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Valid stamps of inline.proto, as a plain struct.
#pragma once

#include <cstdint>
#include <string>

#include "inline/path_plan.h"

namespace tester {

// The packet with the stamp: the outermost one, or the payload of a tunnel.
enum class Tunnel : uint8_t { kNone, kVxlan, kGtpU };

// The fields that a device keeps, as bits of a mask: Stamps.Kept.
enum class Kept : uint32_t {
  kSource = 1 << 0,
  kDestination = 1 << 1,
  kSourcePort = 1 << 2,
  kDestinationPort = 1 << 3,
  kIdentification = 1 << 4,
  kSequence = 1 << 5,
  kAcknowledgment = 1 << 6,
  kPayload = 1 << 7,
};
inline constexpr uint32_t kAllKept = (1 << 8) - 1;

constexpr bool Keeps(uint32_t mask, Kept kept) { return (mask & static_cast<uint32_t>(kept)) != 0; }

// A path of a loaded job.
struct PathName {
  std::string job;
  std::string path;

  bool operator==(const PathName&) const = default;
};

struct StampPlan {
  std::string name;
  PathName before;
  PathName behind;
  Heading heading = Heading::kBoth;
  // Packets are unchanged, and recognised by the fields that the device keeps.
  bool by_match = false;
  Matches matches{};
  bool data_only = false;
  Tunnel tunnel = Tunnel::kNone;
  bool remove = true;
  uint32_t mtu = 1500;  // of the outermost IP packet with its stamp
  uint32_t kept = kAllKept;
  uint64_t timeout_ns = 1'000'000'000;
  uint32_t flows = 4096;         // of each direction, that are counted one by one
  uint32_t under_way = 1 << 18;  // packets that can be under way at once, of each direction
  uint64_t interval_ns = 100'000'000;
  uint32_t intervals = 36'000;
};

}  // namespace tester
