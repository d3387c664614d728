// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames of a stream that arrive on other ports than expected: their number on each port, how many
// of them are damaged, and how many others arrive behind a later frame, as copies do.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace tester {

// Any thread may read. The entry of a port is written by the worker of that port. Ports have the
// tester's numbers.
class Misrouted {
 public:
  static constexpr uint32_t kPorts = 64;  // at most

  void Add(uint32_t port, uint64_t sequence) {
    PortArrivals& arrivals = ports_[port];
    arrivals.frames.fetch_add(1, std::memory_order_release);
    if (sequence < arrivals.next.load(std::memory_order_relaxed)) {
      arrivals.behind.fetch_add(1, std::memory_order_relaxed);
    } else {
      arrivals.next.store(sequence + 1, std::memory_order_relaxed);
    }
  }

  void AddDamaged(uint32_t port) {
    ports_[port].damaged.fetch_add(1, std::memory_order_relaxed);
    ports_[port].frames.fetch_add(1, std::memory_order_release);
  }

  uint64_t frames() const {
    uint64_t sum = 0;
    for (uint32_t port = 0; port < kPorts; ++port) sum += On(port);
    return sum;
  }
  // Frames that arrived on this port.
  uint64_t On(uint32_t port) const { return ports_[port].frames.load(std::memory_order_acquire); }
  // Frames of these that are not as they were sent.
  uint64_t DamagedOn(uint32_t port) const {
    return ports_[port].damaged.load(std::memory_order_relaxed);
  }
  // The others whose sequence number is not higher than an earlier one.
  uint64_t BehindOn(uint32_t port) const {
    return ports_[port].behind.load(std::memory_order_relaxed);
  }

 private:
  struct PortArrivals {
    std::atomic<uint64_t> frames{};
    std::atomic<uint64_t> damaged{};
    std::atomic<uint64_t> behind{};
    std::atomic<uint64_t> next{};  // beyond the highest sequence number
  };

  std::array<PortArrivals, kPorts> ports_{};
};

}  // namespace tester
