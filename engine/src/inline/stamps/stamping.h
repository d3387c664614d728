// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// One direction of stamps, from a start to its end: packets that leave to a device are stamped or
// remembered, and recognised when they come back. Used by one worker; any thread may read counters.
// It allocates when it is made, and never later.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/burst.h"
#include "base/counter.h"
#include "inline/stamps/came_back.h"
#include "inline/stamps/stamp.h"
#include "inline/stamps/stamp_flows.h"
#include "inline/stamps/stamp_intervals.h"
#include "inline/stamps/stamp_plan.h"
#include "inline/stamps/under_way.h"

namespace tester {

// By their names in counters.proto, for X(name).
#define TESTER_STAMP_COUNTERS(X) \
  X(sent)                        \
  X(received)                    \
  X(reordered)                   \
  X(late)                        \
  X(duplicated)                  \
  X(ambiguous)                   \
  X(unstamped)                   \
  X(unfit)                       \
  X(occupied)                    \
  X(no_room)                     \
  X(too_long)                    \
  X(overflowed)                  \
  X(untracked)                   \
  X(last_sent_ns)

struct alignas(64) StampCounters {
  TESTER_STAMP_COUNTERS(TESTER_DECLARE_COUNTER)
};

class Stamping {
 public:
  Stamping(const StampPlan& plan, size_t direction, uint64_t start_ns);

  // At most kBurst frames in the order in which they leave to the device, as late as possible.
  // Stamped frames change. `frame_bytes`: the longest frame of the port. A frame of no bytes stands
  // for one in several segments.
  void Depart(std::span<RoomyFrame> frames, size_t frame_bytes, uint64_t now_ns);
  // A frame that the port did not take after that.
  void Withdraw(Frame frame);
  // At most kBurst frames in the order in which they come from the device, as early as possible.
  // Frames with a stamp change.
  void Arrive(std::span<RoomyFrame> frames, uint64_t now_ns);

  // Stops stamping; packets under way are still recognised.
  void End() { ended_.store(true, std::memory_order_relaxed); }

  const StampCounters& counters() const { return counters_; }
  const DelayFigures& delay() const { return delay_; }
  const Histogram& histogram() const { return histogram_; }
  const StampFlows& flows() const { return flows_; }
  const StampIntervals& intervals() const { return intervals_; }

 private:
  // A packet that came back in time.
  struct Returned {
    uint64_t sent_ns;
    uint32_t flow;
  };

  // A packet that leaves to the device.
  struct Departure {
    RoomyFrame* frame;
    uint64_t hash;
    uint64_t key;   // where packets are matched
    uint32_t flow;  // StampFlows::kNone without room
  };

  // Picks the frames to stamp, and counts unfit ones. Returns the number of departures.
  size_t Select(std::span<RoomyFrame> frames, const StampLimits& limits,
                std::span<Departure> departures);
  void FindFlows(std::span<Departure> departures);
  // False without room.
  bool Remember(const Departure& departure);
  void Insert(const Departure& departure, bool grows);
  // Whether the packet is to be stamped.
  bool Watches(Frame frame, const StampPlace& place) const;
  StampFlow* FlowAt(uint32_t flow) { return flow < flows_.count() ? &flows_[flow] : nullptr; }
  void CountSent(uint32_t flow, uint64_t sent_ns);
  void CountUnfit(Fit fit);
  // False: it was none of ours.
  bool ArriveStamped(RoomyFrame& frame, const StampPlace& place, const Stamp& stamp,
                     uint64_t now_ns);
  void Match(std::span<const RoomyFrame> frames, uint64_t now_ns);
  void ArriveMatched(const UnderWay::Found& found, uint64_t now_ns);
  void CountOdd(Counter& all, Counter StampFlowOddities::*of_flow, uint32_t flow);
  // `known`: it is clear which packet it was.
  void CountReceived(const Returned& packet, uint64_t now_ns, bool known);
  void CountUnknown(Frame frame, const StampPlace& place);
  // The place of a packet that comes back.
  void FindBehind(Frame frame, StampPlace& place) const;

  const StampPlan plan_;
  const KeptHash kept_;
  const size_t direction_;
  const uint64_t start_ns_;
  std::atomic<bool> ended_{false};
  uint64_t last_ns_;  // that was given to a packet: no two have the same
  StampCounters counters_;
  DelayFigures delay_;
  Histogram histogram_;
  StampFlows flows_;
  StampIntervals intervals_;
  std::optional<UnderWay> under_way_;  // where packets are matched
  // Used where packets are stamped:
  uint64_t last_number_ = 0;
  CameBack came_back_;
  std::array<StampPlace, kBurst> places_;  // of the burst that arrives
};

}  // namespace tester
