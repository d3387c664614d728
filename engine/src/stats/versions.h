// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The two versions of a stream's counters (norma section 6.1), and which frame left with which.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "stats/counter.h"
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

// A control thread asks for a flip, the sender carries it out before its next burst, receivers look
// up with which version a frame left.
class Flips {
 public:
  // Control thread's.
  void Ask() { asked_.fetch_add(1, std::memory_order_release); }
  uint32_t Open() const {
    return static_cast<uint32_t>(asked_.load(std::memory_order_acquire) % 2);
  }

  // Sender's: the version of the frames from this sequence on, none of which has left.
  uint8_t Begin(uint64_t sequence) {
    const uint64_t asked = asked_.load(std::memory_order_acquire);
    if (asked != done_.load(std::memory_order_relaxed)) [[unlikely]] {
      CarryOut(asked, sequence);
    }
    return static_cast<uint8_t>(asked % 2);
  }

  // Receivers': the version with which a frame left; none if that is more flips ago than are known.
  std::optional<uint32_t> VersionOf(uint64_t sequence) const {
    const uint64_t done = done_.load(std::memory_order_acquire);
    for (uint64_t flip = done; flip + kKnown > done; --flip) {
      if (flip == 0 || sequence >= first_[flip % kRemembered].Get()) {
        return static_cast<uint32_t>(flip % 2);
      }
    }
    return std::nullopt;
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
