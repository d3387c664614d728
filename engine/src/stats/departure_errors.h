// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Errors of the departures of a stream; counters.proto (DepartureErrors) defines them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/counter.h"
#include "stats/histogram.h"

namespace tester {

class DepartureErrors {
 public:
  // One writer. Frames that left at now_ns were due from first_due_ns, not later, to last_due_ns.
  void Add(uint64_t now_ns, uint64_t first_due_ns, uint64_t last_due_ns) {
    const uint64_t lateness_ns = now_ns - first_due_ns;
    worst_lateness_.Raise(lateness_ns);
    if (any_) {
      const uint64_t error_ns = ErrorNs(lateness_ns);
      histogram_.Add(error_ns);
      sum_.Add(error_ns);
      max_.Raise(error_ns);
    }
    any_ = true;
    last_lateness_ns_ = now_ns - last_due_ns;
  }

  // Prefetches the memory that Add needs for these frames. Always inlined: GCC drops calls of a
  // function that only prefetches.
  [[gnu::always_inline]] void Prefetch(uint64_t now_ns, uint64_t first_due_ns) const {
    histogram_.Prefetch(ErrorNs(now_ns - first_due_ns));
  }

  const Histogram& histogram() const { return histogram_; }
  uint64_t sum() const { return sum_.Get(); }
  uint64_t max() const { return max_.Get(); }
  uint64_t worst_lateness() const { return worst_lateness_.Get(); }

 private:
  static constexpr uint64_t kMost = (uint64_t{1} << Histogram::kValueBits) - 1;

  uint64_t ErrorNs(uint64_t lateness_ns) const {
    return std::min(kMost, lateness_ns > last_lateness_ns_ ? lateness_ns - last_lateness_ns_
                                                           : last_lateness_ns_ - lateness_ns);
  }

  Counter sum_;
  Counter max_;
  Counter worst_lateness_;
  Histogram histogram_;
  // Used by the writer only.
  bool any_ = false;
  uint64_t last_lateness_ns_ = 0;
};

}  // namespace tester
