// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A counter of 128 bits with one writer. Readers in other threads never see half of a carry.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/counter.h"

namespace tester {

class WideCounter {
 public:
  struct Value {
    uint64_t high;
    uint64_t low;

    bool operator==(const Value&) const = default;
  };

  void Add(uint64_t value) {
    const uint64_t low = low_.Get() + value;
    if (low < value) [[unlikely]] {
      Carry(low);
    } else {
      low_.Set(low);
    }
  }

  // Adds `value` times 2^64.
  void AddHigh(uint64_t value) {
    if (value != 0) Carry(low_.Get(), value);
  }

  // One of the values that the counter has had while this ran.
  Value Get() const {
    for (;;) {
      const uint64_t before = carries_.load(std::memory_order_acquire);
      const uint64_t low = low_.Get();
      std::atomic_thread_fence(std::memory_order_acquire);
      // Odd: a carry is under way.
      if (before % 2 == 0 && carries_.load(std::memory_order_relaxed) == before) {
        return {.high = before / 2, .low = low};
      }
    }
  }

 private:
  // The high word is the number of carries, so it is its own version.
  void Carry(uint64_t low, uint64_t times = 1) {
    const uint64_t before = carries_.load(std::memory_order_relaxed);
    carries_.store(before + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    low_.Set(low);
    carries_.store(before + 2 * times, std::memory_order_release);
  }

  Counter low_;
  std::atomic<uint64_t> carries_{0};  // twice their number
};

}  // namespace tester
