// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A valid path: what inline.proto asks for, as plain structs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "receiver/matcher.h"

namespace tester {

// Directions of a path: from its first port to its second one, and back.
inline constexpr size_t kPathDirections = 2;

enum class Heading : uint8_t { kBoth, kForward, kBackward };

// Which of the packets that an event sees.
struct ByNumber {
  uint64_t number;
  uint32_t iteration;
};
struct ByEvery {
  uint64_t packets;
};
struct ByRatio {
  uint64_t seed;
  uint64_t threshold;  // of 2^64
};
using Selection = std::variant<ByNumber, ByEvery, ByRatio>;

enum class Part : uint8_t { kPayload, kTransport, kNetwork, kFrame };

// What happens to a packet.
struct DropPacket {};
struct MarkPacket {};
struct CorruptPacket {
  Part part;
  uint32_t bit;
  bool repair;
};
struct DuplicatePacket {};
struct TruncatePacket {
  uint32_t bytes;
};
using PacketAction =
    std::variant<DropPacket, MarkPacket, CorruptPacket, DuplicatePacket, TruncatePacket>;

struct EventPlan {
  std::string name;
  uint32_t watch;
  Heading heading;
  uint32_t flow;  // 0: all frames of the watch
  bool data_only;
  Selection selection;
  PacketAction action;
};

struct PathPlan {
  std::string name;
  uint16_t first_port;  // index of the port in the tester
  uint16_t second_port;
  std::vector<Matches> watches;
  std::vector<EventPlan> events;
};

}  // namespace tester
