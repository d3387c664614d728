// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The engine's time: nanoseconds since the engine started, from the time stamp counter. This is the
// one place where a clock is read; everywhere else time is a parameter.
#pragma once

#include <rte_cycles.h>

#include <cstdint>

namespace tester {

class Clock {
 public:
  // Measures the counter against CLOCK_MONOTONIC_RAW; takes kCalibrationNs.
  Clock();

  uint64_t Now() const {
    const uint64_t ticks = rte_rdtsc() - base_ticks_;
    return static_cast<uint64_t>((static_cast<Wide>(ticks) * multiplier_) >> kShift);
  }

  // The same instant on both clocks.
  struct Reading {
    uint64_t engine_ns;
    uint64_t raw_ns;
  };
  Reading ReadBoth() const;

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr int kShift = 32;
  static constexpr uint64_t kCalibrationNs = 100'000'000;

  uint64_t base_ticks_;
  uint64_t multiplier_;  // nanoseconds per tick, times 2^kShift
};

}  // namespace tester
