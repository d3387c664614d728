// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Flows by the order in which they appeared, and how far the segments of TCP, or packets of RoCEv2,
// have come in each direction. Its memory is taken when it is made.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/open_table.h"
#include "inline/path_plan.h"
#include "inline/segment.h"

namespace tester {

// How a packet stands to those before it in its flow and direction.
struct SequenceProgress {
  bool first = true;   // it has sequence numbers that are new, or none at all
  bool again = false;  // it has some that are not
};

struct alignas(64) NumberedFlow {
  FlowKey key{};
  uint32_t number = 0;   // from 1; 0: no flow
  uint32_t opening = 0;  // initial sequence number of its SYN
  bool opened = false;
  // By direction: whether a segment was seen, and the next sequence number that would be new.
  std::array<bool, kPathDirections> seen{};
  std::array<uint32_t, kPathDirections> next{};

  bool IsFree() const { return number == 0; }

  SequenceProgress Follow(const Segment& segment, size_t direction) {
    return segment.sequence_numbers == 0 ? SequenceProgress{} : Advance(segment, direction);
  }

 private:
  SequenceProgress Advance(const Segment& segment, size_t direction);
};

class NumberedFlows {
 public:
  // Has room for `capacity` flows; later ones stay unknown.
  explicit NumberedFlows(uint32_t capacity);

  // The flow of a packet, which may be its first one; nullptr without room. `hash` is the key's. A
  // reopened connection between the same ends gets the next number, or `kNone` when all numbers are
  // used.
  NumberedFlow* Find(const FlowKey& key, uint64_t hash, const Segment& segment) {
    NumberedFlow& flow =
        slots_.Find(hash, [&key](const NumberedFlow& slot) { return slot.key == key; });
    if (flow.IsFree() || segment.opens()) [[unlikely]]
      return Open(flow, key, segment);
    return &flow;
  }
  // Prefetches the slot of a flow.
  void Prefetch(uint64_t hash) const { slots_.Prefetch(hash); }
  uint32_t count() const { return count_; }

  static constexpr uint32_t kNone = UINT32_MAX;

 private:
  template <typename T>
  using Vector = std::vector<T>;

  NumberedFlow* Open(NumberedFlow& flow, const FlowKey& key, const Segment& segment);
  uint32_t TakeNumber() { return count_ < capacity_ ? ++count_ : kNone; }

  uint32_t capacity_;
  uint32_t used_ = 0;   // slots
  uint32_t count_ = 0;  // numbers
  OpenTable<NumberedFlow, Vector> slots_;
};

}  // namespace tester
