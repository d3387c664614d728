// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Segments that reset a TCP connection at both ends (RFC 9293 section 3.10.7). An end accepts only
// a reset with the sequence number that it expects next (RFC 5961 section 3.2).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "inline/events/numbered_flows.h"
#include "inline/segment.h"
#include "wire/bytes.h"

namespace tester {

class Resets {
 public:
  // A segment to the sender of the packet.
  struct Answer {
    std::array<uint8_t, 96> octets;
    size_t bytes;

    Frame frame() const { return {octets.data(), bytes}; }
  };

  void Clear() { count_ = 0; }
  std::span<const Answer> answers() const { return {answers_.data(), count_}; }

  // Makes a RST to the receiver of the packet, and answers to its sender. `flow`: of the packet, if
  // known. Returns the length of the frame; 0 where the packet is not a TCP segment, or is a RST
  // itself.
  size_t Make(MutableFrame frame, const Segment& segment, const NumberedFlow* flow,
              size_t direction);

 private:
  // A segment without payload or options.
  struct Bare {
    uint32_t sequence;
    uint32_t acknowledgment;
    uint8_t flags;
  };

  void AnswerWith(Frame frame, const Segment& segment, const Bare& bare);

  std::array<Answer, 2> answers_;
  size_t count_ = 0;
};

}  // namespace tester
