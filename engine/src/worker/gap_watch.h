// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Tells jobs and queries how long a port of theirs was not polled. Used by the worker only; a poll
// costs a comparison unless the gap before it is longer than what one of them has seen, or late.
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
    std::shared_ptr<const void> owner;  // of what the pointers lead to
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
  size_t active_ = 0;  // the first ones; streams of the others have come to their end
};

}  // namespace tester
