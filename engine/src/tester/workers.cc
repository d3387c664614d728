// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "tester/workers.h"

#include <chrono>
#include <utility>

#include "base/error.h"
#include "base/log.h"

namespace tester {
namespace {

// Failed looks until a worker counts as stuck.
constexpr unsigned kLooks = 2;
// The time that a snapshot waits for a worker that other processes keep from running.
constexpr auto kMoment = std::chrono::milliseconds(100);

}  // namespace

Workers::Workers(const WorkerPlacement& placement, const Clock& clock)
    : looks_(placement.cpus.size()) {
  for (size_t i = 0; i < placement.cpus.size(); ++i) {
    workers_.push_back(std::make_unique<Worker>(static_cast<unsigned>(i + 1), placement.cpus[i],
                                                placement.shares_cpu, clock, activity_));
  }
}

void Workers::Launch(Programs programs) {
  for (size_t i = 0; i < workers_.size(); ++i) workers_[i]->Launch(std::move(programs[i]));
}

void Workers::Swap(Programs programs) {
  Ask([&](size_t i) { workers_[i]->SwapProgram(std::move(programs[i])); });
}

void Workers::WaitTwoLoops() {
  Ask([this](size_t i) { workers_[i]->WaitTwoLoops(); });
}

void Workers::AwaitTwoLoops() const {
  if (workers_.size() == 1) return;
  for (const auto& worker : workers_) worker->AwaitTwoLoops(kMoment);
}

void Workers::Ask(const std::function<void(size_t)>& ask) {
  try {
    for (size_t i = 0; i < workers_.size(); ++i) ask(i);
  } catch (const Error& error) {
    GiveUp();
    Log(LogLevel::kError, "stuck", {{"reason", error.what()}});
    throw;
  }
}

void Workers::Check() {
  bool stuck = false;
  for (size_t i = 0; i < workers_.size(); ++i) {
    Look& look = looks_[i];
    const uint64_t loops = workers_[i]->counters().loops.Get();
    look.in_vain = std::exchange(look.loops, loops) == loops ? look.in_vain + 1 : 0;
    if (look.in_vain >= kLooks) {
      stuck = true;
      if (!stuck_) Log(LogLevel::kError, "stuck", {{"cpu", int64_t{workers_[i]->cpu()}}});
    }
  }
  if (stuck_.exchange(stuck) && !stuck) Log(LogLevel::kInfo, "moves again");
}

}  // namespace tester
