// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Takes links of a running path down for its events, and up again: in any case at its own end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "tester/ports.h"
#include "worker/clock.h"
#include "worker/running_path.h"

namespace tester {

class LinkKeeper {
 public:
  LinkKeeper(const PathPlan& plan, std::shared_ptr<RunningPath> path, const Ports& ports,
             const Clock& clock);

 private:
  struct Link {
    Port& port;
    bool down = false;
  };
  struct Task {
    LinkCut& cut;
    TakeLinkDown wanted;
    uint64_t end_ns = 0;  // end of the time for which the links are down; 0: they are up
    bool began = false;   // they are
  };

  void Run(const std::stop_token& stop);
  // Sets links as tasks want them now.
  void SetLinks(uint64_t now_ns);
  void Set(Link& link, bool down);
  void Note(Task& task, uint64_t now_ns);
  bool AreUp(const TakeLinkDown& wanted) const;

  const std::shared_ptr<RunningPath> path_;
  const Clock& clock_;
  std::array<Link, kPathDirections> links_;
  std::vector<Task> tasks_;
  std::jthread thread_;  // the last one: it uses the others
};

}  // namespace tester
