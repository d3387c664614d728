// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A log-linear histogram of 48-bit values; counters.proto (Latency.buckets) defines its buckets.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

#include "base/mapped.h"

namespace tester {

class Histogram {
 public:
  static constexpr uint32_t kLinear = 1024;  // values below have a bucket each
  static constexpr uint32_t kPerOctave = kLinear / 2;
  static constexpr int kValueBits = 48;
  static constexpr uint32_t kBuckets = kPerOctave * (kValueBits - 9) + kPerOctave;

  static constexpr uint32_t Index(uint64_t value) {
    // Values of 10 bits or less are not shifted, so both lines of the definition are this one.
    const int shift = static_cast<int>(std::bit_width(value | (kLinear / 2))) - 10;
    return kPerOctave * static_cast<uint32_t>(shift) + static_cast<uint32_t>(value >> shift);
  }

  // The smallest value of a bucket.
  static constexpr uint64_t Floor(uint32_t index) {
    if (index < kLinear) return index;
    return (uint64_t{kPerOctave} + index % kPerOctave) << (index / kPerOctave - 1);
  }

  // One writer. Adds `value`, below 2^48, `times` times.
  void Add(uint64_t value, uint64_t times = 1) {
    std::atomic_ref<uint64_t> count(counts_[Index(value)]);
    count.store(count.load(std::memory_order_relaxed) + times, std::memory_order_release);
  }

  // Prefetches the bucket of a value. Always inlined: GCC drops calls of a function that only
  // prefetches.
  [[gnu::always_inline]] void Prefetch(uint64_t value) const {
    __builtin_prefetch(&counts_[Index(value)], 1);
  }

  uint64_t Count(uint32_t index) const {
    return std::atomic_ref<uint64_t>(counts_[index]).load(std::memory_order_acquire);
  }

 private:
  Mapped<uint64_t> counts_{kBuckets};
};

}  // namespace tester
