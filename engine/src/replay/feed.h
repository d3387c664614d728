// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The frames of one start of a replay, read ahead of the worker that sends them: a thread reads,
// rewrites and pads them into a bounded ring. The worker takes them from there and never waits;
// what is not there in time is late.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "replay/capture.h"
#include "replay/plan.h"
#include "wire/bytes.h"

namespace tester {

class ReplayFeed {
 public:
  // What DueNs says of a frame that was not read yet, and of one that never comes.
  static constexpr uint64_t kNotYet = UINT64_MAX - 1;
  static constexpr uint64_t kNone = UINT64_MAX;

  // Returns once the ring is full or the file's end was read, at most 200 ms later.
  explicit ReplayFeed(ReplayPlan plan);
  ~ReplayFeed();
  ReplayFeed(const ReplayFeed&) = delete;
  ReplayFeed& operator=(const ReplayFeed&) = delete;

  // The worker's. Frames are numbered over all runs. `number` was not released.
  uint64_t DueNs(uint64_t number) const;
  // A frame that is there: DueNs has said so.
  Frame At(uint64_t number) const;
  // Frames before this one have left.
  void Release(uint64_t number) { released_.store(number, std::memory_order_release); }

 private:
  struct Slot {
    uint64_t due_ns;
    uint32_t offset;
    uint32_t bytes;
  };
  static constexpr size_t kSlots = 16'384;
  static constexpr size_t kBytes = 1U << 23;

  void Run();
  void ReadOnce(uint64_t run);
  // Waits for room, if need be. False: nobody wants more.
  bool Put(const CapturedFrame& frame, uint64_t due_ns);
  // Where so many bytes fit now; kBytes: nowhere.
  size_t Room(size_t bytes) const;

  const ReplayPlan plan_;
  std::vector<Slot> slots_;
  std::vector<uint8_t> bytes_;
  size_t next_byte_ = 0;
  std::atomic<uint64_t> written_{0};
  std::atomic<uint64_t> released_{0};
  std::atomic<uint64_t> total_;
  std::atomic<bool> ready_{false};  // it is full, or all was read
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace tester
