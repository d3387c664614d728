// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A count with one writer and any number of readers: no lock, no read-modify-write instruction. A
// reader of a count sees everything that its writer counted before. To compare two counts, read the
// effect before the cause: frames received before frames sent.
#pragma once

#include <atomic>
#include <cstdint>

namespace tester {

class Counter {
 public:
  uint64_t Get() const { return value_.load(std::memory_order_acquire); }
  void Set(uint64_t value) { value_.store(value, std::memory_order_release); }
  void Add(uint64_t count) { Set(value_.load(std::memory_order_relaxed) + count); }
  void Raise(uint64_t value) {
    if (value > Get()) Set(value);
  }

 private:
  std::atomic<uint64_t> value_{0};
};

// A member for each name of a list of counters.
#define TESTER_DECLARE_COUNTER(name) Counter name;

}  // namespace tester
