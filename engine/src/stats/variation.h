// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// How latency varies from frame to frame: counters.proto, Variation.
#pragma once

#include <cstdint>

#include "base/counter.h"

namespace tester {

class Variation {
 public:
  // One writer. First arrivals, as they come; `latency_ns` below 2^48.
  void Add(uint64_t sequence, uint64_t latency_ns) {
    const int64_t difference =
        static_cast<int64_t>(latency_ns) - static_cast<int64_t>(last_latency_ns_);
    const uint64_t absolute = static_cast<uint64_t>(difference < 0 ? -difference : difference);
    const uint64_t jitter = jitter_16.Get();
    if (next_sequence_ != 0) jitter_16.Set(jitter + absolute - ((jitter + 8) >> 4));
    if (sequence == next_sequence_ && sequence != 0) {
      ipdv_count.Add(1);
      ipdv_sum_ns.Add(absolute);
      if (difference < ipdv_min()) ipdv_min_.Set(static_cast<uint64_t>(difference));
      if (difference > ipdv_max()) ipdv_max_.Set(static_cast<uint64_t>(difference));
    }
    next_sequence_ = sequence + 1;
    last_latency_ns_ = latency_ns;
  }

  // Adds `frames` frames with the latency of the frame before.
  void Repeat(uint64_t frames) {
    uint64_t jitter = jitter_16.Get();
    // Below 8 it stays.
    for (uint64_t i = 0; i < frames && jitter >= 8; ++i) jitter -= (jitter + 8) >> 4;
    jitter_16.Set(jitter);
    ipdv_count.Add(frames);
    if (ipdv_min() > 0) ipdv_min_.Set(0);
    if (ipdv_max() < 0) ipdv_max_.Set(0);
    next_sequence_ += frames;
  }

  // Whether the first arrival before was this one.
  bool LastWas(uint64_t sequence, uint64_t latency_ns) const {
    return next_sequence_ == sequence + 1 && last_latency_ns_ == latency_ns;
  }

  // Meaningless while ipdv_count is 0.
  int64_t ipdv_min() const { return static_cast<int64_t>(ipdv_min_.Get()); }
  int64_t ipdv_max() const { return static_cast<int64_t>(ipdv_max_.Get()); }

  Variation() {
    ipdv_min_.Set(static_cast<uint64_t>(INT64_MAX));
    ipdv_max_.Set(static_cast<uint64_t>(INT64_MIN));
  }

  Counter jitter_16;
  Counter ipdv_count;
  Counter ipdv_sum_ns;

 private:
  Counter ipdv_min_;
  Counter ipdv_max_;
  // The number after that of the last arrival; 0 before the first arrival.
  uint64_t next_sequence_ = 0;
  uint64_t last_latency_ns_ = 0;
};

}  // namespace tester
