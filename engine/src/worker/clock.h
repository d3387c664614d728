// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The engine's time: nanoseconds since the engine started, from the time stamp counter, at the rate
// of CLOCK_MONOTONIC_RAW. It never steps. This is the one place where a clock is read; everywhere
// else time is a parameter.
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
  // Takes 100 ms to compare the clocks. From then on a thread of its own goes on with it.
  Clock();
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

  uint64_t Now() const { return timeline_.At(rte_rdtsc()); }

  // The same instant on both clocks.
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
  std::mutex mutex_;  // what waiting for the next adjustment needs; it guards nothing
  std::condition_variable_any wake_;
  std::jthread thread_;  // last: it ends before what it uses
};

}  // namespace tester
