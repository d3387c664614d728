// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Nanoseconds from ticks of a counter: a line that bends now and then, without a step.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "base/counter.h"
#include "base/int128.h"

namespace tester {

struct Line {
  static constexpr int kShift = 40;

  uint64_t ticks = 0;       // here
  uint64_t ns = 0;          // it is this late
  uint64_t multiplier = 0;  // nanoseconds per tick, times 2^kShift

  // Also before `ticks`: the counters of two processors may differ by some.
  uint64_t At(uint64_t at) const {
    const Int128 ahead =
        static_cast<Int128>(static_cast<int64_t>(at - ticks)) * static_cast<int64_t>(multiplier);
    return ns + static_cast<uint64_t>(ahead >> kShift);
  }
};

// One line until `after` begins, at the value that the line has reached.
struct Bend {
  Line before;
  Line after;

  uint64_t At(uint64_t ticks) const {
    return (static_cast<int64_t>(ticks - after.ticks) < 0 ? before : after).At(ticks);
  }
};

// The current bend, with one writer and any number of readers. Readers never wait: there are two
// copies, and a reader starts again only if it slept through a whole replacement.
class Timeline {
 public:
  explicit Timeline(const Line& line) { Replace({.before = line, .after = line}); }

  uint64_t At(uint64_t ticks) const {
    for (;;) {
      const uint64_t number = number_.load(std::memory_order_acquire);
      const uint64_t ns = copies_[number % 2].Read().At(ticks);
      std::atomic_thread_fence(std::memory_order_acquire);
      if (number_.load(std::memory_order_relaxed) == number) [[likely]] {
        return ns;
      }
    }
  }

  void Replace(const Bend& bend) {
    const uint64_t next = number_.load(std::memory_order_relaxed) + 1;
    // A reader that sees any of the following stores also sees that the other copy is the newest
    // one.
    std::atomic_thread_fence(std::memory_order_release);
    copies_[next % 2].Write(bend);
    number_.store(next, std::memory_order_release);
  }

 private:
  struct SharedLine {
    Counter ticks;
    Counter ns;
    Counter multiplier;

    Line Read() const {
      return {.ticks = ticks.Get(), .ns = ns.Get(), .multiplier = multiplier.Get()};
    }
    void Write(const Line& line) {
      ticks.Set(line.ticks);
      ns.Set(line.ns);
      multiplier.Set(line.multiplier);
    }
  };
  struct alignas(64) SharedBend {
    SharedLine before;
    SharedLine after;

    Bend Read() const { return {.before = before.Read(), .after = after.Read()}; }
    void Write(const Bend& bend) {
      before.Write(bend.before);
      after.Write(bend.after);
    }
  };

  std::array<SharedBend, 2> copies_;
  std::atomic<uint64_t> number_{0};
};

}  // namespace tester
