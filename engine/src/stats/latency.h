// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Statistics of the delay of a stream's frames.
#pragma once

#include <cstdint>

#include "base/counter.h"
#include "stats/histogram.h"

namespace tester {

class Latency {
 public:
  // One writer. Adds a latency below 2^48 of `frames` frames.
  void Add(uint64_t nanoseconds, uint64_t frames = 1) {
    histogram_.Add(nanoseconds, frames);
    sum_.Add(nanoseconds * frames);
    if (nanoseconds < min_.Get()) min_.Set(nanoseconds);
    max_.Raise(nanoseconds);
  }

  const Histogram& histogram() const { return histogram_; }
  uint64_t sum() const { return sum_.Get(); }
  uint64_t min() const { return min_.Get(); }  // UINT64_MAX without a value
  uint64_t max() const { return max_.Get(); }

  Latency() { min_.Set(UINT64_MAX); }

 private:
  Counter sum_;
  Counter min_;
  Counter max_;
  Histogram histogram_;
};

}  // namespace tester
