// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The frames of one start of a replay. A thread reads, rewrites and pads frames into a bounded
// ring, ahead of the worker that sends them. The worker never waits: a frame that is not read in
// time is late. No other thread waits for the reader, which a file may block endlessly; it ends by
// itself after the feed.
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
  // Returned by DueNs for a frame that is not read yet, or will never be.
  static constexpr uint64_t kNotYet = UINT64_MAX - 1;
  static constexpr uint64_t kNone = UINT64_MAX;

  // Begins to read.
  explicit ReplayFeed(ReplayPlan plan);
  ~ReplayFeed();
  ReplayFeed(const ReplayFeed&) = delete;
  ReplayFeed& operator=(const ReplayFeed&) = delete;

  // Returns once the ring is full or the file's end was read, or at the deadline.
  void AwaitAhead(std::chrono::steady_clock::time_point deadline) const;
  // Outlives the feed: the reader may notice the changed file after the feed has ended.
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
