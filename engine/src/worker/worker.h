// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The hot loop: one lcore that polls its queues of ports, from a program that control threads
// replace while it runs (read-copy-update: a program is freed once the worker has been seen with
// its successor).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

#include "stats/counters.h"
#include "worker/activity.h"
#include "worker/clock.h"
#include "worker/interruptions.h"
#include "worker/program.h"

namespace tester {

class Worker {
 public:
  // `shares_cpu`: control threads run on the same CPU, so waiting gives way to them.
  Worker(unsigned lcore, unsigned cpu, bool shares_cpu, const Clock& clock, Activity& activity);
  // Stops the loop and waits for its end.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Starts the loop with a program.
  void Launch(std::unique_ptr<const Program> program);

  // Returns when the loop uses this program. INTERNAL when it does not within three seconds: it is
  // stuck in a driver, and the memory that it may still use is never freed.
  void SwapProgram(std::unique_ptr<const Program> program);

  // Returns when the loop has sent the frames of the present round and has seen all stores before
  // this call. INTERNAL as above.
  void WaitTwoLoops() const;
  // The same with a limit; false when the time is over.
  bool AwaitTwoLoops(std::chrono::steady_clock::duration most) const;

  // Everything that has kept the worker from running, since its start.
  Interruptions interruptions() const;

  unsigned lcore() const { return lcore_; }
  unsigned cpu() const { return cpu_; }
  const WorkerCounters& counters() const { return counters_; }

 private:
  [[noreturn]] void RefuseToWait() const;
  void Run();
  void Begin(const Program& program);
  // Serves every queue once. True when anything was sent or received.
  bool Serve(const Program& program);
  bool SendDueStreams(const QueueProgram& entry);
  void MeasurePoll();
  // Frames that are due before another round of polls would end are waited for and sent on time.
  bool AwaitDue(const Program& program);
  bool AwaitRelease(const Program& program);
  void Idle(bool worked);

  const unsigned lcore_;
  const unsigned cpu_;
  const bool shares_cpu_;
  const Clock& clock_;
  Activity& activity_;

  std::unique_ptr<const Program> current_;
  std::atomic<const Program*> published_{nullptr};
  std::atomic<const Program*> seen_{nullptr};
  std::atomic<bool> stop_{false};
  std::atomic<pid_t> thread_{0};
  WorkerCounters counters_;

  // Used by the loop only.
  uint64_t now_ns_ = 0;
  uint64_t last_idle_ns_ = 0;
  uint64_t poll_ns_ = 0;
  uint64_t walked_ns_ = 0;  // when a frame was last sent, or rehearsed
  uint64_t active_until_ns_ = 0;
  uint64_t idle_since_ns_ = 0;  // begin of the idle time; 0 after a round with work
  uint32_t idle_loops_ = 0;
};

}  // namespace tester
