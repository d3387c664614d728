// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The order in which the frames of a stream arrive, from their sequence numbers: counters.proto,
// Order. A frame in order costs one comparison and touches no table.
#pragma once

#include <cstdint>

#include "base/counter.h"
#include "base/mapped.h"
#include "stats/histogram.h"

namespace tester {

enum class ArrivalPlace : uint8_t {
  kNext,       // after the highest one so far
  kSkipping,   // beyond that: those in between are missing
  kOvertaken,  // missing until now
  kDuplicate,
  kLate,  // too far back to know whether it is a duplicate
};

class ArrivalOrder {
 public:
  static constexpr uint64_t kWindow = 65536;

  ArrivalOrder();

  // One writer. Returns the place of a frame with this sequence number of 48 bits. Sequence numbers
  // that it skips are missing from now on.
  ArrivalPlace Add(uint64_t sequence) {
    const uint64_t next = next_.Get();
    if (sequence == next) [[likely]] {
      next_.Set(next + 1);
      return ArrivalPlace::kNext;
    }
    return sequence > next ? Skip(next, sequence) : LookBack(next, sequence);
  }

  // Counts `frames` more frames that arrive in order.
  void Follow(uint64_t frames) { next_.Add(frames); }

  uint64_t next() const { return next_.Get(); }
  uint64_t overtaken() const { return overtaken_.Get(); }
  uint64_t duplicated() const { return duplicated_.Get(); }
  uint64_t late() const { return late_.Get(); }
  uint64_t extent_sum() const { return extent_sum_.Get(); }
  uint64_t extent_max() const { return extent_max_.Get(); }
  const Histogram& extents() const { return extents_; }

 private:
  // The missing one among the sequence numbers that share a slot, and the arrival since which it is
  // missing.
  struct Missing {
    uint32_t round;    // sequence / kWindow + 1; 0: none
    uint32_t arrival;  // modulo 2^32
  };

  static uint32_t RoundOf(uint64_t sequence) {
    return static_cast<uint32_t>(sequence / kWindow) + 1;
  }

  ArrivalPlace Skip(uint64_t next, uint64_t sequence);
  ArrivalPlace LookBack(uint64_t next, uint64_t sequence);
  uint32_t Arrivals() const;

  Counter next_;
  Counter overtaken_;
  Counter duplicated_;
  Counter late_;
  Counter extent_sum_;
  Counter extent_max_;
  Histogram extents_;
  uint64_t skipped_ = 0;  // ever
  Mapped<Missing> missing_;
};

}  // namespace tester
