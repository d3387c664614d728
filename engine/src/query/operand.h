// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Bytes of a frame, and facts about it, that queries compare, count by and sum up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "inline/segment.h"
#include "wire/bytes.h"

namespace tester {

// A frame as queries see it.
struct QueriedFrame {
  static constexpr size_t kFactBytes = 8;
  using Fact = std::array<uint8_t, kFactBytes>;  // big endian, as fields are

  QueriedFrame(Frame whole, uint16_t at_port, uint64_t at_ns);

  Frame frame;
  Segment segment;
  uint64_t now_ns;
  Fact length;
  Fact port;
};

struct QueryOperand {
  enum class Part : uint8_t { kFrame, kTag, kNetwork, kTransport, kPayload };
  enum class Fact : uint8_t { kNone, kLength, kPort, kGap };

  Part part = Part::kFrame;
  uint32_t offset = 0;
  uint32_t bytes = QueriedFrame::kFactBytes;
  uint16_t ether_type = 0;  // 0: any
  uint8_t protocol = 0;     // 0: any
  Fact fact = Fact::kNone;  // kNone: a field

  // Where its bytes are; nullptr where the frame has none, and of a gap, which is a key's.
  const uint8_t* Find(const QueriedFrame& queried) const;
};

// At most eight bytes, big endian.
uint64_t LoadNumber(const uint8_t* from, size_t bytes);

}  // namespace tester
