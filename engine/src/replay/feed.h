// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The frames of one start of a replay, read ahead of the worker that sends them: a thread reads,
// rewrites and pads them into a bounded ring. The worker takes them from there and never waits;
// what is not there in time is late. Nobody waits for the thread, which a file may hold up for
// ever: when nobody wants more frames it ends by itself, as soon as it can.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/fault.h"
#include "replay/plan.h"
#include "wire/bytes.h"

namespace tester {

class ReplayFeed {
 public:
  // Returned by DueNs for a frame that was not read yet, and for one that never comes.
  static constexpr uint64_t kNotYet = UINT64_MAX - 1;
  static constexpr uint64_t kNone = UINT64_MAX;

  // Begins to read.
  explicit ReplayFeed(ReplayPlan plan);
  ~ReplayFeed();
  ReplayFeed(const ReplayFeed&) = delete;
  ReplayFeed& operator=(const ReplayFeed&) = delete;

  // Returns once the ring is full or the file's end was read, or at the deadline.
  void AwaitAhead(std::chrono::steady_clock::time_point deadline) const;
  // Outlives the feed: a file may be found changed once nobody wants more frames of it.
  std::shared_ptr<const Fault> fault() const;

  // The worker's. Frames are numbered over all runs. `number` was not released.
  uint64_t DueNs(uint64_t number) const;
  // A frame that is there: DueNs has said so.
  Frame At(uint64_t number) const;
  // Frames before this one have left.
  void Release(uint64_t number);

 private:
  class Reader;

  const std::shared_ptr<Reader> reader_;  // and the thread's
};

}  // namespace tester
