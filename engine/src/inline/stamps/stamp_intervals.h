// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Counts of packets by the interval in which they were sent. One worker writes, any thread reads.
#pragma once

#include <cstdint>
#include <vector>

#include "base/counter.h"

namespace tester {

struct StampInterval {
  Counter sent;
  Counter received;
  Counter delay_count;
  Counter delay_sum_ns;
  Counter delay_max_ns;
};

class StampIntervals {
 public:
  StampIntervals(uint64_t start_ns, uint64_t interval_ns, uint32_t intervals)
      : start_ns_(start_ns), interval_ns_(interval_ns), intervals_(intervals) {}

  // The interval of an instant of sending; nullptr behind the last one.
  StampInterval* At(uint64_t sent_ns) {
    // Neighbours are mostly in the same one, and a division takes as long as all else.
    if (sent_ns - last_begin_ns_ >= interval_ns_ || last_ == nullptr) [[unlikely]] {
      Move(sent_ns);
    }
    return last_;
  }
  // Sent in an interval that has begun.
  uint32_t count() const { return static_cast<uint32_t>(count_.Get()); }
  const StampInterval& operator[](uint32_t index) const { return intervals_[index]; }

 private:
  void Move(uint64_t sent_ns) {
    const uint64_t index = sent_ns < start_ns_ ? 0 : (sent_ns - start_ns_) / interval_ns_;
    last_begin_ns_ = start_ns_ + index * interval_ns_;
    last_ = index < intervals_.size() ? &intervals_[index] : nullptr;
    if (last_ != nullptr) count_.Raise(index + 1);
  }

  const uint64_t start_ns_;
  const uint64_t interval_ns_;
  std::vector<StampInterval> intervals_;
  Counter count_;
  uint64_t last_begin_ns_ = 0;
  StampInterval* last_ = nullptr;
};

}  // namespace tester
