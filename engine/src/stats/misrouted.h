// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames of a stream that arrive on other ports than expected: how many, and on which.
#pragma once

#include <atomic>
#include <cstdint>

namespace tester {

// Written by any worker, read by anybody. Ports are numbered as the tester's are.
class Misrouted {
 public:
  static constexpr uint32_t kPorts = 64;  // at most

  void Add(uint32_t port) {
    frames_.fetch_add(1, std::memory_order_relaxed);
    ports_.fetch_or(BitOf(port), std::memory_order_relaxed);
  }

  uint64_t frames() const { return frames_.load(std::memory_order_relaxed); }
  // Whether some have arrived there.
  bool On(uint32_t port) const {
    return (ports_.load(std::memory_order_relaxed) & BitOf(port)) != 0;
  }

 private:
  static uint64_t BitOf(uint32_t port) { return uint64_t{1} << port; }

  std::atomic<uint64_t> frames_{0};
  std::atomic<uint64_t> ports_{0};
};

}  // namespace tester
