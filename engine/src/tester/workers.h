// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The workers of the tester. Either all of them get a new program, or none.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "worker/clock.h"
#include "worker/program.h"
#include "worker/worker.h"

namespace tester {

struct WorkerPlacement {
  std::vector<unsigned> cpus;  // lcore i + 1 runs on cpus[i]
  bool shares_cpu;             // with control threads
};

class Workers {
 public:
  using Programs = std::vector<std::unique_ptr<Program>>;  // one for each worker

  Workers(const WorkerPlacement& placement, const Clock& clock);

  size_t size() const { return workers_.size(); }
  Worker& operator[](size_t index) const { return *workers_[index]; }
  auto begin() const { return workers_.begin(); }
  auto end() const { return workers_.end(); }

  void Launch(Programs programs);
  // Returns when every worker has left its old program. Throws Error where one does not; then the
  // tester is no longer usable.
  void Swap(Programs programs);
  // Returns when every worker has begun and ended a loop since.
  void WaitTwoLoops();
  // Waits for a moment only, and not at all with one worker: everything that it received, it
  // counted as sent before.
  void AwaitTwoLoops() const;

  // False while a worker does not move, and finally after one was given up.
  bool Usable() const { return usable_ && !stuck_; }
  void GiveUp() { usable_ = false; }
  // Checks that every worker has moved since the last call. A pause of the whole machine may
  // explain one failure; after two the worker is stuck, until it moves again.
  void Check();

 private:
  struct Look {
    uint64_t loops = UINT64_MAX;
    unsigned in_vain = 0;
  };

  // An exception of ask(i) leaves the tester unusable.
  void Ask(const std::function<void(size_t)>& ask);

  Activity activity_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Look> looks_;  // of the thread that calls Check
  std::atomic<bool> usable_{true};
  std::atomic<bool> stuck_{false};
};

}  // namespace tester
