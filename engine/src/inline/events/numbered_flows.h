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

struct alignas(64) NumberedFlow {
  FlowKey key{};
  uint32_t number = 0;   // from 1; 0: no flow
  uint32_t opening = 0;  // initial sequence number of its SYN
  bool opened = false;
  // Of each direction: whether a segment was seen, and the next sequence number that would be new.
  std::array<bool, kPathDirections> seen{};
  std::array<uint32_t, kPathDirections> next{};

  Progress Follow(const Segment& segment, size_t direction) {
    return segment.sequence_numbers == 0 ? Progress{} : Advance(segment, direction);
  }

 private:
  Progress Advance(const Segment& segment, size_t direction);
};

class NumberedFlows {
 public:
  // Has room for so many flows; later ones are not known.
  explicit NumberedFlows(uint32_t capacity);

  // The flow of a packet, which may be its first one; nullptr where there is no room. `hash` is the
  // key's. A connection between the same ends that is opened anew has the next number; when all
  // numbers are given away it has the number `kNone`.
  NumberedFlow* Find(const FlowKey& key, uint64_t hash, const Segment& segment) {
    const size_t mask = slots_.size() - 1;
    size_t index = hash & mask;
    while (slots_[index].number != 0 && slots_[index].key != key) index = (index + 1) & mask;
    NumberedFlow& flow = slots_[index];
    if (flow.number == 0 || segment.opens()) [[unlikely]]
      return Open(flow, key, segment);
    return &flow;
  }
  // Where it will be looked for.
  void Prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)], 1); }
  uint32_t count() const { return count_; }

  static constexpr uint32_t kNone = UINT32_MAX;

 private:
  NumberedFlow* Open(NumberedFlow& flow, const FlowKey& key, const Segment& segment);
  uint32_t TakeNumber() { return count_ < capacity_ ? ++count_ : kNone; }

  uint32_t capacity_;
  uint32_t used_ = 0;   // slots
  uint32_t count_ = 0;  // numbers
  std::vector<NumberedFlow> slots_;
};

}  // namespace tester
