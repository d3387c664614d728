// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A valid path of inline.proto, as plain structs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "receiver/matcher.h"

namespace tester {

// Whether all matches hold.
inline bool HoldsOf(const Matches& matches, Frame frame) {
  return std::ranges::all_of(matches, [&](const ByteMatch& byte) {
    return byte.offset < frame.size() && (frame[byte.offset] & byte.mask) == byte.value;
  });
}

// Directions of a path: from its first port to its second one, and back.
inline constexpr size_t kPathDirections = 2;

enum class Heading : uint8_t { kBoth, kForward, kBackward };

constexpr bool Heads(Heading heading, size_t direction) {
  return heading == Heading::kBoth || (heading == Heading::kForward) == (direction == 0);
}

// Selection of packets that an event sees, by number.
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
struct ByCarried {
  uint32_t sequence;
  bool from_start;  // of the data of its direction
  uint32_t iteration;
};
struct ByPattern {
  std::vector<uint8_t> selects;  // 0 or 1 for each packet, repeated
};
using Selection = std::variant<ByNumber, ByEvery, ByRatio, ByCarried, ByPattern>;

enum class Part : uint8_t { kPayload, kTransport, kNetwork, kFrame };

// The actions of events.
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
struct DelayPacket {
  uint64_t delay_ns;
  bool overtaken;  // later frames may leave before it
};
struct ReorderPacket {
  uint32_t frames;  // that pass before it
  uint64_t limit_ns;
};
struct RewritePacket {
  Part part;
  uint8_t ip_version;  // 0: either, or none
  uint8_t protocol;    // 0: any
  uint32_t offset;     // of the first byte
  std::vector<uint8_t> mask;
  std::vector<uint8_t> value;
  bool repair;
};
struct BlackholePath {
  uint64_t duration_ns;
  bool flow_only;
  bool both_ways = false;
};
// Takes down the links of these ports as well.
struct TakeLinkDown {
  uint64_t duration_ns;
  std::array<bool, kPathDirections> ports;  // the first one, the second one
};
struct ResetConnection {};
using PacketAction = std::variant<DropPacket, MarkPacket, CorruptPacket, DuplicatePacket,
                                  TruncatePacket, DelayPacket, ReorderPacket, RewritePacket,
                                  BlackholePath, TakeLinkDown, ResetConnection>;

struct EventPlan {
  std::string name;
  uint32_t watch;
  Heading heading;
  uint32_t flow;  // 0: all frames of the watch
  bool data_only;
  Selection selection;
  PacketAction action;
};

// Losses of all frames of a direction. Thresholds are of 2^64; kAlways is for all.
inline constexpr uint64_t kAlways = UINT64_MAX;
struct NoLoss {};
struct GilbertElliottLoss {
  uint64_t seed;
  uint64_t to_bad;
  uint64_t to_good;
  uint64_t in_good;
  uint64_t in_bad;
};
using LossPlan = std::variant<NoLoss, ByRatio, GilbertElliottLoss>;

struct ShaperPlan {
  uint64_t bits_per_second;
  uint32_t overhead_bytes;  // of each frame, without its own bytes and the FCS
  uint32_t queue_frames;    // 0: it is bounded in bytes
  uint64_t queue_bytes;
};

struct DelayPlan {
  uint64_t seed = 0;
  std::vector<uint64_t> quantiles_ns{};  // none: no delay
  bool overtaken = false;
  double correlation = 0;
};

struct ImpairmentPlan {
  LossPlan loss{};
  std::optional<ShaperPlan> shaper{};
  DelayPlan delay{};

  bool holds() const { return shaper.has_value() || !delay.quantiles_ns.empty(); }
};

struct PathPlan {
  std::string name;
  uint16_t first_port;  // index of the port in the tester
  uint16_t second_port;
  std::vector<Matches> watches;
  std::vector<EventPlan> events;
  std::array<std::optional<ImpairmentPlan>, kPathDirections> impairments{};
  uint64_t hold_bytes = 0;         // of each direction that holds frames
  std::vector<uint16_t> beside{};  // more ports of its first end
  bool known_by_ip = false;        // which of these a frame leaves by; else by Ethernet

  // The ports of the first end, in order.
  std::vector<uint16_t> FirstPorts() const {
    std::vector<uint16_t> found{first_port};
    found.insert(found.end(), beside.begin(), beside.end());
    return found;
  }
  std::vector<uint16_t> Ports() const {
    std::vector<uint16_t> found = FirstPorts();
    found.push_back(second_port);
    return found;
  }
  bool Has(uint16_t port) const {
    return port == first_port || port == second_port ||
           std::ranges::find(beside, port) != beside.end();
  }
};

}  // namespace tester
