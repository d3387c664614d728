// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The ticks of a constant rate that survive a cascade of stages (norma section 5.2). Analytic: any
// frame's time, and the number of frames at any time, without those before.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rate.h"

namespace tester {

// Of the ticks that reach it, passes `passes`, skips `skips`, and repeats.
struct Stage {
  uint64_t passes = 1;
  uint64_t skips = 0;

  bool operator==(const Stage&) const = default;
};

class Steady {
 public:
  // The first stage meets all ticks.
  explicit Steady(const Rate& tick, std::vector<Stage> stages = {});

  // The first whole nanosecond at which frame k is due. Saturates.
  uint64_t DueNs(uint64_t k) const { return DueTime(tick_, TickOf(k)); }
  // How many frames are due in [0, elapsed_ns], and in [0, elapsed_ns).
  uint64_t DueBy(uint64_t elapsed_ns) const { return Survivors(tester::DueBy(tick_, elapsed_ns)); }
  uint64_t DueBefore(uint64_t elapsed_ns) const {
    return Survivors(tester::DueBefore(tick_, elapsed_ns));
  }
  // In any window: stages pass before they skip, so the first window has the most.
  uint64_t MostDue(uint64_t window_ns) const { return DueBefore(window_ns); }

 private:
  uint64_t TickOf(uint64_t k) const;
  uint64_t Survivors(uint64_t ticks) const;

  Rate tick_;
  std::vector<Stage> stages_;
};

}  // namespace tester
