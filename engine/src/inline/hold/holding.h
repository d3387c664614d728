// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The frames of one direction of a path between its events and the other port: they pass its
// impairment, and some are held. Used by one worker. It allocates when it is made, and never later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "inline/events/events.h"
#include "inline/fate.h"
#include "inline/hold/delay_law.h"
#include "inline/hold/frame_store.h"
#include "inline/hold/hold_queue.h"
#include "inline/hold/loss_model.h"
#include "inline/hold/shaper.h"
#include "inline/path_counters.h"
#include "inline/path_plan.h"
#include "wire/bytes.h"

namespace tester {

class Holding {
 public:
  // Packets that can be held back at once, until others have passed.
  static constexpr size_t kMostHeldBack = 1024;

  Holding(const PathPlan& plan, size_t direction, Events& events, PathDirectionCounters& counters);

  // Whether a direction of a path needs one.
  static bool Needed(const PathPlan& plan, size_t direction);

  struct HoldOutcome {
    Fate fate;
    uint64_t due_ns;  // of a frame held until an instant; 0 for others
  };
  // A frame that leaves the events of the path, which have just treated it: it passes at once, or
  // was stored, or is dropped and counted.
  HoldOutcome Take(Frame frame, const Treatment& treatment, uint64_t now_ns);
  // Takes a copy that an event made.
  HoldOutcome TakeCopy(Frame frame, const Treatment& treatment, uint64_t now_ns);

  // The next frame that is due by an instant. The caller takes its bytes by `Write`, or gives it up
  // by `Lose`, and sends it.
  std::optional<HeldFrame> NextToLeave(uint64_t now_ns);
  // It has left now.
  void CountLate(const HeldFrame& frame, uint64_t now_ns) {
    counters_.worst_late_ns.Raise(now_ns - frame.due_ns);
  }
  void Write(FrameStore::Stored stored, uint8_t* to) { store_.Take(stored, to); }
  void Lose(FrameStore::Stored stored) { store_.Drop(stored); }

  // The instant at which the next frame leaves; HoldQueue::kNever without held frames.
  uint64_t next_due_ns() const;
  bool empty() const { return queue_.size() == 0 && held_back_.empty(); }

 private:
  // On its way from the events to the other port.
  struct Sent {
    uint32_t bytes;
    uint64_t delay_ns;
    bool overtaken;
  };
  struct HeldBack {
    uint32_t event;
    uint32_t frames;  // that have still to pass
    uint64_t limit_ns;
    Sent sent;
    FrameStore::Stored stored;
  };
  // kPasses; kHeld until an instant; kLost or kTailDropped, which are counted.
  struct Route {
    Fate fate;
    uint64_t due_ns;
    bool overtaken;
  };

  Route Impair(const Sent& sent, uint64_t now_ns);
  HoldOutcome HoldBack(Frame frame, const Treatment& treatment, uint64_t now_ns);
  HoldOutcome Send(Frame frame, const Treatment& treatment, uint64_t now_ns);
  uint64_t Push(FrameStore::Stored stored, const Route& route);
  // Sends a frame that was held back.
  void Release(const HeldBack& held, uint64_t now_ns);
  // The last treated frame has passed those that are held back.
  void Pass(uint64_t now_ns);
  void Expire(uint64_t now_ns);
  void FindNextLimit();
  void CountHeld() { counters_.held.Set(queue_.size() + held_back_.size()); }

  Events& events_;
  PathDirectionCounters& counters_;
  const size_t direction_;
  LossModel loss_;
  std::optional<Shaper> shaper_;
  std::optional<DelayLaw> delay_;
  FrameStore store_;
  HoldQueue queue_;
  std::vector<HeldBack> held_back_;  // in the order in which they came
  uint64_t next_limit_ns_ = HoldQueue::kNever;
};

}  // namespace tester
