// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames of a stream that arrive on other ports than expected: how many on each, and how many of
// these behind a later one, as copies do.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace tester {

// Read by anybody, written by any worker: what is of one port by the worker of that port. Ports are
// numbered as the tester's are.
class Misrouted {
 public:
  static constexpr uint32_t kPorts = 64;  // at most

  void Add(uint32_t port, uint64_t sequence) {
    Place& place = places_[port];
    place.frames.fetch_add(1, std::memory_order_release);
    if (sequence < place.next.load(std::memory_order_relaxed)) {
      place.behind.fetch_add(1, std::memory_order_relaxed);
    } else {
      place.next.store(sequence + 1, std::memory_order_relaxed);
    }
  }

  uint64_t frames() const {
    uint64_t sum = 0;
    for (uint32_t port = 0; port < kPorts; ++port) sum += On(port);
    return sum;
  }
  // Those that have arrived there.
  uint64_t On(uint32_t port) const { return places_[port].frames.load(std::memory_order_acquire); }
  // Those of them whose sequence number is no higher than one before.
  uint64_t BehindOn(uint32_t port) const {
    return places_[port].behind.load(std::memory_order_relaxed);
  }

 private:
  struct Place {
    std::atomic<uint64_t> frames{};
    std::atomic<uint64_t> behind{};
    std::atomic<uint64_t> next{};  // beyond the highest sequence number
  };

  std::array<Place, kPorts> places_{};
};

}  // namespace tester
