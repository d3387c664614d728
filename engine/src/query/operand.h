// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Bytes of a frame, and facts about it, that queries compare, count by and sum up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "inline/segment.h"
#include "wire/bytes.h"
#include "wire/ethernet.h"

namespace tester {

// A frame as queries see it.
struct QueriedFrame {
  // `with_transport`: what is behind the header of IP is looked for, too.
  QueriedFrame(Frame whole, uint16_t at_port, uint64_t at_ns, bool with_transport = true)
      : frame(whole),
        segment(with_transport ? Segment::Of(whole) : Segment::NetworkOf(whole)),
        now_ns(at_ns),
        port(at_port) {}

  uint64_t length() const { return frame.size() + wire::kFcsBytes; }

  Frame frame;
  Segment segment;
  uint64_t now_ns;
  uint16_t port;
};

struct QueryOperand {
  enum class Part : uint8_t { kFrame, kTag, kNetwork, kTransport, kPayload };
  enum class Fact : uint8_t { kNone, kLength, kPort, kGap };

  static constexpr size_t kFactBytes = 8;
  using FactBytes = std::array<uint8_t, kFactBytes>;

  Part part = Part::kFrame;
  uint32_t offset = 0;
  uint32_t bytes = kFactBytes;
  uint16_t ether_type = 0;  // 0: any
  uint8_t protocol = 0;     // 0: any
  Fact fact = Fact::kNone;  // kNone: a field

  bool is_field() const { return fact == Fact::kNone; }
  bool needs_transport() const {
    return is_field() && (part == Part::kTransport || part == Part::kPayload);
  }

  // Where a field is; nullptr where the frame has none.
  const uint8_t* FindField(const QueriedFrame& queried) const {
    const Segment& segment = queried.segment;
    if (ether_type != 0 && ether_type != segment.ether_type) return nullptr;
    if (protocol != 0 && protocol != segment.protocol) return nullptr;
    const auto [begin, end] = ExtentIn(queried);
    return begin + offset + bytes <= end ? queried.frame.data() + begin + offset : nullptr;
  }

  // The number that a fact is; 0 of a gap, which is a key's.
  uint64_t NumberIn(const QueriedFrame& queried) const {
    if (fact == Fact::kLength) return queried.length();
    return fact == Fact::kPort ? queried.port : 0;
  }

  // Where its bytes are, of a fact in `room`; nullptr where the frame has none.
  const uint8_t* Find(const QueriedFrame& queried, FactBytes& room) const {
    if (is_field()) [[likely]]
      return FindField(queried);
    wire::Store64(room.data(), NumberIn(queried));
    return room.data();
  }

 private:
  // Where a part begins and ends; nothing but an end of 0 where the frame has none.
  struct Extent {
    size_t begin = 0;
    size_t end = 0;
  };

  Extent ExtentIn(const QueriedFrame& queried) const {
    constexpr size_t kTagBegin = wire::kMacHeaderBytes;  // behind the type that announces it
    const Segment& segment = queried.segment;
    switch (part) {
      case Part::kFrame:
        return {0, queried.frame.size()};
      case Part::kTag:
        if (segment.link_end <= wire::kMacHeaderBytes) return {};
        return {kTagBegin, kTagBegin + wire::kVlanTagBytes};
      case Part::kNetwork:
        if (segment.link_end == 0) return {};
        return {segment.link_end, segment.end};
      case Part::kTransport:
        if (!segment.has_transport()) return {};
        return {segment.transport, segment.end};
      case Part::kPayload:
        if (!segment.has_network() || segment.later_fragment) return {};
        return {segment.payload, segment.end};
    }
    return {};
  }
};

// At most eight bytes, big endian.
inline uint64_t LoadNumber(const uint8_t* from, size_t bytes) {
  uint64_t number = 0;
  for (size_t i = 0; i < bytes; ++i) number = number << 8 | from[i];
  return number;
}

}  // namespace tester
