// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Flows by the order in which they appeared, and how far the segments of TCP, or packets of RoCEv2,
// have come in each direction. Its memory is taken when it is made.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "inline/path_plan.h"
#include "inline/segment.h"

namespace tester {

// How a packet stands to those before it in its flow and direction.
struct Progress {
  bool first = true;   // it has sequence numbers that are new, or none at all
  bool again = false;  // it has some that are not
};

struct NumberedFlow {
  FlowKey key;
  uint32_t number = 0;  // from 1; 0: no flow
  // Of one direction: the next sequence number that would be new, once a segment was seen.
  struct Half {
    uint32_t next = 0;
    bool seen = false;
  };
  std::array<Half, kPathDirections> halves;
  uint32_t opening = 0;  // initial sequence number of its SYN
  bool opened = false;

  Progress Follow(const Segment& segment, size_t direction);
};

class NumberedFlows {
 public:
  // Has room for so many flows; later ones are not known.
  explicit NumberedFlows(uint32_t capacity);

  // The flow of a packet, which may be its first one; nullptr where it has none or there is no
  // room. A connection between the same ends that is opened anew has the next number; when all
  // numbers are given away it has the number `kNone`.
  NumberedFlow* Find(Frame frame, const Segment& segment);
  uint32_t count() const { return count_; }

  static constexpr uint32_t kNone = UINT32_MAX;

 private:
  uint32_t TakeNumber() { return count_ < capacity_ ? ++count_ : kNone; }

  uint32_t capacity_;
  uint32_t used_ = 0;   // slots
  uint32_t count_ = 0;  // numbers
  std::vector<NumberedFlow> slots_;
};

}  // namespace tester
