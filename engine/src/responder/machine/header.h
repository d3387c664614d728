// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Headers of a packet, and their fields, as a machine knows them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "responder/machine/field_load.h"
#include "responder/machine/number.h"

namespace tester::machine {

enum class HeaderKind : uint8_t {
  kPlain,
  kEthernet,
  kIpv4,
  kIpv6,
  kUdp,
  kTcp,
  kIcmp,
  kIcmpv6,
  kGtpU,
  kBth
};

struct Announced {
  FieldLoad load;
  uint64_t value;
};

// A value of more bits than a load has.
struct AnnouncedWide {
  FieldPlace place;
  Uint128 value;
};

struct Header {
  HeaderKind kind;
  uint16_t octets;  // at fixed positions
  std::vector<Announced> announced;
  std::vector<AnnouncedWide> wide;
};

struct FlowField {
  FieldPlace place;
  uint8_t key_offset;  // in the flow's key, of place.bits rounded up to bytes
  uint8_t opposite;

  size_t bytes() const { return (place.bits + 7U) / 8U; }
};

// Fields of a flow that are adjacent in a header and in the key, in whole bytes.
struct KeyRun {
  uint8_t header;
  uint8_t key_offset;
  uint16_t first;  // byte of the header
  uint16_t bytes;
};

// Facts of an event.
enum Fact : uint8_t { kNow, kNowMs, kConsumed, kScanned, kEventFacts };

// Facts of the packet in hand.
enum PacketFact : uint8_t {
  kPayloadLength,
  kPayloadLeft,
  kFrameLength,  // without padding, which a length field reveals
  kFin,          // of TCP, as all behind it
  kSyn,
  kMss,
  kWscale,
  kHasWscale,
  kSackPermitted,
  kHasTimestamp,
  kTsVal,
  kTsEcr,
  kPayloadAhead,
  kPacketFactCount
};
using PacketFacts = std::array<uint64_t, kPacketFactCount>;

}  // namespace tester::machine
