// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A stamp in a packet (P4STA section III-B): two times of 48 bits, in an option of TCP that comes
// before all others, or at the begin of the payload of UDP.
//
//   0      1      2               8       10             16
//   +------+------+---------------+-------+---------------+
//   | 0x0f | kind | first time    | flow  | second time   |
//   +------+------+---------------+-------+---------------+
//
// kind is 0x10, the length of the option, in TCP and 0x11 in UDP. flow, which P4STA does not use,
// is the number of the flow among those of its direction; 0xffff: none. Until it comes back, a
// packet has in place of its second time its own number, from 1, and in the lowest bit its
// direction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "inline/stamps/stamp_place.h"
#include "wire/bytes.h"

namespace tester {

inline constexpr size_t kStampBytes = 16;
inline constexpr uint64_t kStampTimeMask = (uint64_t{1} << 48) - 1;
inline constexpr uint16_t kNoStampFlow = 0xffff;

struct Stamp {
  uint64_t first_ns = 0;  // modulo 2^48
  uint16_t flow = kNoStampFlow;
  uint64_t second_ns = 0;
};

// A frame with the free bytes before it.
struct RoomyFrame {
  uint8_t* data = nullptr;
  size_t bytes = 0;
  size_t headroom = 0;

  Frame frame() const { return {data, bytes}; }
};

// Why a packet gets no stamp; kFits: it gets one.
enum class Fit : uint8_t { kFits, kUnfit, kOccupied, kNoRoom, kTooLong };

struct StampLimits {
  size_t packet_bytes;  // of the outermost IP packet
  size_t frame_bytes;   // without FCS
  bool grows;           // false: a payload of UDP is written over
};

// Whether a stamp can be put into a packet.
Fit FitOf(const RoomyFrame& frame, const StampPlace& place, const StampLimits& limits);

// Puts a stamp into a packet that it fits in: bytes are added behind the transport header, or, in a
// payload of UDP that does not grow, take the place of its first ones. Lengths and checksums
// follow.
void InsertStamp(RoomyFrame& frame, const StampPlace& place, const Stamp& stamp, bool grows);

// The stamp of a packet, if it has one.
std::optional<Stamp> ReadStamp(Frame frame, const StampPlace& place);

// Writes the second time.
void CompleteStamp(const RoomyFrame& frame, const StampPlace& place, uint64_t second_ns);

// Takes the stamp out again; the packet is as it was before.
void RemoveStamp(RoomyFrame& frame, const StampPlace& place);

}  // namespace tester
