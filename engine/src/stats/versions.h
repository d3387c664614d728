// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The two versions of a stream's counters (norma section 6.1), and which frame left with which.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "base/counter.h"
#include "stats/wide.h"

namespace tester {

// Frames of one version in one direction.
struct VersionCount {
  Counter packets;
  Counter bytes;
  WideCounter
      time_ns;  // the sum of the times at which they left or arrived, since the stream's base

  void Add(uint64_t count, uint64_t all_bytes, uint64_t at_ns) {
    packets.Add(count);
    bytes.Add(all_bytes);
    time_ns.Add(count * at_ns);
  }
};

// Counts of a port, over all streams with a version.
struct PortVersionCount {
  Counter packets;
  Counter bytes;

  void Add(uint64_t count, uint64_t all_bytes) {
    packets.Add(count);
    bytes.Add(all_bytes);
  }
  void Merge(const PortVersionCount& queue) { Add(queue.packets.Get(), queue.bytes.Get()); }
};

// A control thread asks for a flip, the sender carries it out before its next burst, receivers look
// up with which version a frame left.
class Flips {
 public:
  // Control thread's.
  void Ask() { asked_.fetch_add(1, std::memory_order_release); }
  uint32_t Open() const {
    return static_cast<uint32_t>(asked_.load(std::memory_order_acquire) % 2);
  }

  // The sender's: returns the version of the frames from this sequence number on. No such frame has
  // left yet.
  uint8_t Begin(uint64_t sequence) {
    const uint64_t asked = asked_.load(std::memory_order_acquire);
    if (asked != done_.load(std::memory_order_relaxed)) [[unlikely]] {
      CarryOut(asked, sequence);
    }
    return static_cast<uint8_t>(asked % 2);
  }

  // From one flip to the next.
  struct Stretch {
    std::optional<uint32_t> version;  // none if it is more flips ago than are known
    uint64_t end;                     // the first frame beyond it
  };

  // The receivers': the stretch of a frame that has left.
  Stretch StretchOf(uint64_t sequence) const {
    const uint64_t done = done_.load(std::memory_order_acquire);
    uint64_t end = UINT64_MAX;
    for (uint64_t flip = done; flip + kKnown > done; --flip) {
      const uint64_t first = flip == 0 ? 0 : first_[flip % kRemembered].Get();
      if (sequence >= first) return {.version = static_cast<uint32_t>(flip % 2), .end = end};
      end = first;
    }
    return {.version = std::nullopt, .end = end};
  }

 private:
  static constexpr uint64_t kRemembered = 64;
  // A reader may meet the sender at the oldest ones.
  static constexpr uint64_t kKnown = kRemembered / 2;

  void CarryOut(uint64_t asked, uint64_t sequence);

  std::atomic<uint64_t> asked_{0};
  std::atomic<uint64_t> done_{0};
  std::array<Counter, kRemembered> first_;  // the first sequence after flip i, at i % kRemembered
};

}  // namespace tester
