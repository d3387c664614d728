// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Gaps in arrivals in which frames are missing: counters.proto, Outages.
#pragma once

#include <cstdint>

#include "base/counter.h"

namespace tester {

class Outages {
 public:
  // Sets the shortest outage that counts, before the first Add.
  void SetLeast(uint64_t nanoseconds) { least_ns_ = nanoseconds; }

  // One writer. Nothing arrived between these instants. The frame that ended it has the number
  // `sequence`; the `lost` frames before that one are missing.
  void Add(uint64_t from_ns, uint64_t to_ns, uint64_t sequence, uint64_t lost) {
    const uint64_t length_ns = to_ns - from_ns;
    last_sequence.Set(sequence);  // they ascend: only a frame above all others skips any
    if (length_ns > longest_ns.Get()) {
      longest_ns.Set(length_ns);
      longest_start_ns.Set(from_ns);
      longest_lost.Set(lost);
    }
    if (length_ns < least_ns_) return;
    count.Add(1);
    total_ns.Add(length_ns);
    total_lost.Add(lost);
  }

  Counter count;
  Counter total_ns;
  Counter total_lost;
  Counter longest_ns;
  Counter longest_start_ns;
  Counter longest_lost;
  Counter last_sequence;

 private:
  uint64_t least_ns_ = 0;
};

}  // namespace tester
