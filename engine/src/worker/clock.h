// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The engine's time: nanoseconds since the engine started, from the time stamp counter, at the rate
// of CLOCK_MONOTONIC_RAW. It never steps. Clocks are read only here; everywhere else time is a
// parameter.
#pragma once

#include <rte_cycles.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <thread>

#include "worker/discipline.h"
#include "worker/timeline.h"

namespace tester {

class Clock {
 public:
  // Compares the clocks for 100 ms. A thread of its own then continues.
  Clock();
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

  uint64_t Now() const { return timeline_.At(rte_rdtsc()); }

  // One instant on both clocks.
  struct Reading {
    uint64_t engine_ns;
    uint64_t raw_ns;
  };
  Reading ReadBoth() const;

 private:
  void Keep(const std::stop_token& stop);
  void Adjust();

  Discipline discipline_;  // of the thread
  Timeline timeline_;
  std::mutex mutex_;  // for the condition variable; it guards no data
  std::condition_variable_any wake_;
  std::jthread thread_;  // last: it ends before the members that it uses
};

}  // namespace tester
