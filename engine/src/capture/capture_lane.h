// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The link between one worker and one capture: the worker copies frames into a ring, another thread
// takes them out and keeps them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/burst.h"
#include "base/counter.h"
#include "capture/ring.h"
#include "capture/trigger.h"
#include "wire/bytes.h"

namespace tester {

// Facts about a captured frame.
struct CapturedFacts {
  static constexpr size_t kMostEvents = 4;

  uint64_t time_ns;
  uint64_t sequence;        // kNoSequence where nobody knows
  uint32_t original_bytes;  // without FCS
  uint32_t kept_bytes;
  uint16_t port;
  uint16_t stream;  // 0: none
  bool transmitted;
  bool fires = false;  // the trigger of its capture, which every frame after it follows
  uint8_t fate = 0;    // only of a frame of a trace: CapturedFrames.Fate
  // Only for a frame of a trace, whose sequence is its number on the path.
  std::array<uint16_t, kMostEvents> events{};  // that happened to it, counted from 1; 0: none
  uint64_t left_ns = 0;                        // 0: it has not left

  static constexpr uint64_t kNoSequence = UINT64_MAX;
};

struct KeptFrame {
  CapturedFacts facts;
  std::vector<uint8_t> bytes;
};

// CapturePortCounters, of one worker.
struct LaneCounters {
  Counter seen;
  Counter matched;
  Counter dropped;
};

class Lane {
 public:
  // kTrace keeps the first frames and counts later ones as dropped; the lane is never complete.
  // kTriggered keeps the last frames until the trigger's number of frames has followed it.
  enum class Keep : uint8_t { kFirst, kLast, kTrace, kTriggered };

  // `complete` is set by the lane that has got the last frame of the first ones, or of those after
  // the trigger, and ends all. `trigger`: of kTriggered.
  Lane(Keep keep, uint64_t frames, size_t ports, std::shared_ptr<std::atomic<bool>> complete,
       std::unique_ptr<TriggerWatch> trigger = nullptr);

  // The first frames are there.
  bool complete() const { return complete_->load(std::memory_order_relaxed); }

  // The worker's: it begins a burst, adds at most kBurst frames, and publishes the first of them. A
  // burst that begins after the capture is complete is ignored.
  void Begin();
  bool over() const { return over_; }
  TriggerWatch* trigger() const { return trigger_.get(); }
  // Frames that are not wanted are only counted as seen, which a trace does not do here. Returns
  // where the facts are until the burst is published; nullptr where the frame is not kept.
  uint8_t* See(bool wanted, const CapturedFacts& facts, const uint8_t* bytes);
  // The first `count` have gone through the port; the others were taken back.
  void Publish(uint16_t port, size_t count);
  // The worker's: how many frames the path of a trace has received at a port.
  void SetSeen(uint16_t port, uint64_t frames) { counters_[port].seen.Set(frames); }

  // The reader's. False when there was nothing.
  bool Drain();
  std::deque<KeptFrame>& kept() { return kept_; }

  const LaneCounters& counters(size_t port) const { return counters_[port]; }
  uint64_t kept_count() const { return kept_count_.Get(); }

 private:
  // The state after this many frames of a burst.
  struct Mark {
    uint64_t place;
    uint16_t seen;
    uint16_t matched;
    uint16_t dropped;
  };

  void Put(const CapturedFacts& facts, const uint8_t* bytes);
  bool HasAllAfterTheTrigger(size_t count);

  const Keep keep_;
  const uint64_t frames_;
  const std::shared_ptr<std::atomic<bool>> complete_;
  Ring ring_;
  std::vector<LaneCounters> counters_;  // by port
  // Used by the worker only.
  bool over_ = false;
  uint64_t taken_ = 0;
  const std::unique_ptr<TriggerWatch> trigger_;
  bool triggered_ = false;    // when the burst began
  size_t fired_at_ = 0;       // place in the burst behind the frame that fires; 0: none
  uint64_t taken_after_ = 0;  // the trigger
  size_t marked_ = 0;
  std::array<Mark, kBurst + 1> marks_;
  // Used by the reader only.
  std::deque<KeptFrame> kept_;
  Counter kept_count_;
};

}  // namespace tester
