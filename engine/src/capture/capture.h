// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Copies of frames as they leave and arrive, taken without ever making a worker wait.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "capture/capture_lane.h"
#include "capture/capture_plan.h"
#include "capture/tap.h"

namespace tester {

class Capture {
 public:
  // `started_ns` is on the engine's clock, which was 0 at `clock_zero_unix_ns` after 1970.
  // RESOURCE_EXHAUSTED.
  Capture(CapturePlan plan, size_t workers, size_t ports, uint64_t started_ns,
          int64_t clock_zero_unix_ns);
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  const CapturePlan& plan() const { return plan_; }
  uint64_t started_ns() const { return started_ns_; }
  uint64_t stopped_ns() const { return stopped_ns_; }
  int64_t clock_zero_unix_ns() const { return clock_zero_unix_ns_; }
  // Neither stopped nor complete.
  bool running() const { return !stopped() && !complete_->load(std::memory_order_acquire); }
  bool stopped() const { return stopped_ns_ != 0; }

  // A stream that is loaded while it runs.
  void Know(uint16_t id, const std::string& name) { streams_[id] = name; }
  const std::map<uint16_t, std::string>& streams() const { return streams_; }
  // Ids of its known streams; null where it captures every frame.
  std::shared_ptr<const StreamSet> StreamIds() const;

  const std::shared_ptr<Lane>& lane(size_t worker) const { return lanes_[worker]; }
  // No worker is to have its lanes from now on.
  void End(uint64_t now_ns) { stopped_ns_ = now_ns; }
  // Called once no worker uses it any more.
  void Gather();
  // By ascending time; only of a gathered one.
  const std::vector<KeptFrame>& frames() const { return frames_; }

  // When it was triggered; 0: it was not.
  uint64_t triggered_ns() const { return triggered_ns_->load(std::memory_order_relaxed); }
  uint64_t kept() const;
  struct PortCount {
    uint64_t seen;
    uint64_t matched;
    uint64_t dropped;
  };
  PortCount counters(size_t port) const;

 private:
  // Until it is to stop, or is complete.
  void Drain(const std::stop_token& stop);
  bool DrainAll();
  void Merge();
  void KeepAroundTheTrigger();

  const CapturePlan plan_;
  const uint64_t started_ns_;
  const int64_t clock_zero_unix_ns_;
  uint64_t stopped_ns_ = 0;
  const std::shared_ptr<std::atomic<bool>> complete_;
  const std::shared_ptr<std::atomic<uint64_t>> triggered_ns_;
  std::vector<std::shared_ptr<Lane>> lanes_;  // by worker
  std::map<uint16_t, std::string> streams_;
  std::vector<KeptFrame> frames_;
  std::jthread thread_;
};

}  // namespace tester
