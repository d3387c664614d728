// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Bytes of a frame, and facts about it, that queries compare, count by and sum up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "inline/segment.h"
#include "wire/bytes.h"
#include "wire/ethernet.h"

namespace tester {

// A frame as queries see it. Most frames are IPv4 without options behind a plain Ethernet header:
// their network header is found at once. Others are parsed when a query asks for it.
class QueriedFrame {
 public:
  QueriedFrame(Frame whole, uint16_t at_port)
      : frame(whole), port(at_port), plain_end_(PlainEnd(whole)) {}

  uint64_t length() const { return frame.size() + wire::kFcsBytes; }

  // The end of a plain packet of IPv4; 0 for other packets.
  size_t plain_end() const { return plain_end_; }
  const Segment& segment() const {
    if (!segment_) segment_ = Segment::Of(frame);
    return *segment_;
  }

  Frame frame;
  uint16_t port;

 private:
  static size_t PlainEnd(Frame frame) {
    constexpr uint32_t kPlain = 0x0800'4500;  // IPv4 follows, of version 4, without options
    constexpr size_t kShortest = wire::kMacHeaderBytes + wire::kIpv4HeaderBytes;
    if (frame.size() < kShortest) return 0;
    const uint8_t* const type = frame.data() + wire::kMacHeaderBytes - 2;
    if ((wire::Load<uint32_t>(type) & 0xffff'ff00) != kPlain) return 0;
    const size_t end = wire::kMacHeaderBytes + wire::Load16(type + 4);
    return end < kShortest || end > frame.size() ? 0 : end;
  }

  size_t plain_end_;
  mutable std::optional<Segment> segment_;
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

  // The address of a field; nullptr where the frame has none.
  const uint8_t* FindField(const QueriedFrame& queried) const {
    const uint8_t* const data = queried.frame.data();
    if (queried.plain_end() != 0 && part == Part::kNetwork) [[likely]] {
      constexpr size_t kProtocol = wire::kMacHeaderBytes + 9;
      if (ether_type != 0 && ether_type != wire::kEtherTypeIpv4) return nullptr;
      if (protocol != 0 && protocol != data[kProtocol]) return nullptr;
      const size_t begin = wire::kMacHeaderBytes + size_t{offset};
      return begin + bytes <= queried.plain_end() ? data + begin : nullptr;
    }
    const Segment& segment = queried.segment();
    if (ether_type != 0 && ether_type != segment.ether_type) return nullptr;
    if (protocol != 0 && protocol != segment.protocol) return nullptr;
    const auto [begin, end] = ExtentIn(queried);
    return begin + offset + bytes <= end ? data + begin + offset : nullptr;
  }

  // The number that a fact is; 0 of a gap, which is a key's.
  uint64_t NumberIn(const QueriedFrame& queried) const {
    if (fact == Fact::kLength) return queried.length();
    return fact == Fact::kPort ? queried.port : 0;
  }

  // The address of the bytes; a fact is written to `room`. nullptr where the frame has none.
  const uint8_t* Find(const QueriedFrame& queried, FactBytes& room) const {
    if (is_field()) [[likely]]
      return FindField(queried);
    wire::Store64(room.data(), NumberIn(queried));
    return room.data();
  }

 private:
  // The begin and end of a part; an end of 0 where the frame has none.
  struct Extent {
    size_t begin = 0;
    size_t end = 0;
  };

  Extent ExtentIn(const QueriedFrame& queried) const {
    constexpr size_t kTagBegin = wire::kMacHeaderBytes;  // behind the type that announces it
    const Segment& segment = queried.segment();
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
