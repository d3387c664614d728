// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Gaps in the polling of a port, on the worker that polls it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/counter.h"
#include "stats/histogram.h"

namespace tester {

struct PollGaps {
  // A gap of more is late (counters.proto).
  static constexpr uint64_t kLateNs = 1'000'000;

  void Add(uint64_t gap_ns) {
    worst_ns.Raise(gap_ns);
    if (gap_ns <= kLateNs) return;
    late.Add(1);
    lengths.Add(std::min(gap_ns, kLongest));
  }

  Counter worst_ns;
  Counter late;
  Histogram lengths;  // of late ones

 private:
  static constexpr uint64_t kLongest = (uint64_t{1} << Histogram::kValueBits) - 1;
};

}  // namespace tester
