// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames of a stream that arrive on other ports than expected: how many on each.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace tester {

// Written by any worker, read by anybody. Ports are numbered as the tester's are.
class Misrouted {
 public:
  static constexpr uint32_t kPorts = 64;  // at most

  void Add(uint32_t port) { frames_[port].fetch_add(1, std::memory_order_relaxed); }

  uint64_t frames() const {
    uint64_t sum = 0;
    for (uint32_t port = 0; port < kPorts; ++port) sum += On(port);
    return sum;
  }
  // Those that have arrived there.
  uint64_t On(uint32_t port) const { return frames_[port].load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<uint64_t>, kPorts> frames_{};
};

}  // namespace tester
