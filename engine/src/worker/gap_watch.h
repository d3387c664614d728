// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Tells jobs how long a port of theirs was not polled. Used by the worker only; a poll costs a
// comparison unless the gap before it is longer than what some job has seen, or late.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "stats/job_start.h"

namespace tester {

class GapWatch {
 public:
  // Watches the port with this index.
  explicit GapWatch(uint16_t port) : port_(port) {}

  // `answers`: a responder of the job answers on the port, so every gap counts.
  void Add(std::shared_ptr<const JobStart> start, bool answers);

  // The port was polled at `now_ns` and `gap_ns` before that.
  void See(uint64_t now_ns, uint64_t gap_ns) {
    if (gap_ns > notable_ns_) [[unlikely]]
      Record(now_ns, gap_ns);
  }

 private:
  struct Watched {
    std::shared_ptr<const JobStart> start;
    bool answers;
  };

  void Record(uint64_t now_ns, uint64_t gap_ns);

  uint16_t port_;
  uint64_t notable_ns_ = UINT64_MAX;  // shorter gaps change nothing
  std::vector<Watched> watched_;
  size_t active_ = 0;  // the first ones; streams of the others have come to their end
};

}  // namespace tester
