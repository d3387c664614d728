// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Reports gaps in the polling of a port to its jobs and queries. Used by the worker only. A poll
// costs a comparison, unless its gap is the longest so far, or late.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "stats/job_start.h"
#include "stats/poll_gaps.h"

namespace tester {

class GapWatch {
 public:
  // A job or a query at the port.
  struct Watched {
    std::shared_ptr<const void> owner;  // of the objects behind the pointers
    PollGaps* gaps;
    uint64_t since_ns;    // gaps before do not belong to it
    const JobStart* job;  // gaps count while its streams are active; null: every gap counts
  };

  void Add(Watched watched);

  // The port was polled at `now_ns` and `gap_ns` before that.
  void See(uint64_t now_ns, uint64_t gap_ns) {
    if (gap_ns > notable_ns_) [[unlikely]]
      Record(now_ns, gap_ns);
  }

 private:
  void Record(uint64_t now_ns, uint64_t gap_ns);

  uint64_t notable_ns_ = UINT64_MAX;  // shorter gaps change nothing
  std::vector<Watched> watched_;
  size_t active_ = 0;  // number of the first ones, which are active
};

}  // namespace tester
