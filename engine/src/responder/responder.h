// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// One end of a protocol on one port: frames in, frames out, with time as a parameter. It uses no
// driver and no clock. It belongs to one worker; any thread may read its counters.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "responder/flows/addresses.h"
#include "responder/flows/flow_table.h"
#include "responder/flows/opener.h"
#include "responder/flows/wheel.h"
#include "responder/machine/runner.h"
#include "responder/output.h"
#include "responder/packet.h"
#include "responder/responder_counters.h"

namespace tester::machine {

// A responder as a valid plan describes it; it does not change.
struct ResponderPlan {
  std::string name;
  uint16_t port = 0;
  uint16_t out_port = 0;
  uint16_t vlan = 0;        // 0: none
  bool is_trigger = false;  // takes only packets with a row that has actions
  uint64_t most_taken = 0;  // of a trigger; 0: any number
  bool is_shared = false;   // what it takes is for others, too
  uint32_t capacity = 0;
  uint32_t most_bytes = 0;  // of a frame, without tag and FCS
  uint64_t seed = 0;
  std::vector<Accept> accepts;
  std::optional<Opening> opening;
  std::vector<bool> failures;  // by counter
  Machine machine;
};

// The fate of a frame that a responder was offered.
enum class Taken : uint8_t { kNot, kMalformed, kYes };

// A frame that the responder takes, and the identity of its flow.
struct Arrived {
  Packet packet;
  Identity identity;  // answers go where it came from
  uint64_t hash;
};

class Responder {
 public:
  // `compiled`: code of the plan's machine; null: it is interpreted.
  Responder(std::shared_ptr<const ResponderPlan> plan, const CompiledTable* compiled,
            std::shared_ptr<ResponderCounters> counters);

  // Bytes of memory for the flows of a plan.
  static uint64_t BytesFor(const ResponderPlan& plan);

  const ResponderPlan& plan() const { return *plan_; }
  const ResponderCounters& counters() const { return *counters_; }

  // Opens flows from `start_us` to `end_us` (0: without end). Called before anything else.
  void Begin(uint64_t start_us, uint64_t end_us);

  // Four steps. Each runs for all frames of a burst, so that prefetched memory is in the cache for
  // the next one. kNot: the frame is not for this responder.
  Taken Take(Frame frame, Arrived& arrived);
  void PrefetchSlot(const Arrived& arrived) const;
  void PrefetchFlow(const Arrived& arrived) const;
  void Receive(Arrived& arrived, uint64_t now_us, Output& output);

  // Handles due timers, then opens due flows; a part of them only, if there are many. False:
  // nothing was due.
  bool Advance(uint64_t now_us, Output& output);

  // Ends open flows: no flow is opened any more, and each existing one gets kStopEvent with its
  // next event or in its turn. Advance continues with it.
  void Stop(uint64_t now_us);
  bool stopping() const { return stopping_; }
  // No flow is left.
  bool stopped() const { return stopping_ && (!flows_ || flows_->size() == 0); }
  // The table has rows for kStopEvent.
  bool ends_flows() const;

  // Timers alone, kMostWakes flows of them. True: more are due; they fire with the next calls, and
  // meanwhile packets may come before them.
  bool AdvanceTimers(uint64_t now_us, Output& output);
  // Opens a flow. False: the flow exists, or there is no room.
  bool Start(const Identity& identity, uint32_t number, uint64_t now_us, Output& output);
  // With the identity and the state of each.
  template <typename Visit>
  void ForEachFlow(Visit visit) const {
    if (!flows_) return;
    flows_->ForEach(
        [&](uint32_t index) { visit(flows_->IdentityOf(index), flows_->StateOf(index)); });
  }

  static constexpr uint32_t kNoNumber = UINT32_MAX;
  // A poll of the port waits for these: some microseconds.
  static constexpr uint32_t kMostWakes = 64;

 private:
  // Whether a trigger goes off by it.
  bool GoesOff(Packet& packet);
  void ReadKey(const Packet& packet, Key& key) const;
  uint32_t Open(uint64_t now_us, Output& output);
  // Whether a flow has yet to get kStopEvent.
  bool NeedsStop(uint32_t index) const;
  // Gives it to the flow.
  void StopFlow(uint32_t index, Output& output);
  // Gives it to as many flows as are due by now. False: none was.
  bool StopDueFlows(uint64_t now_us, Output& output);
  // Handles an event of a flow that is not kept yet; and keeps it, or not.
  void HandleNew(const Identity& identity, uint64_t hash, uint32_t number, uint16_t event,
                 Packet* packet, Output& output);
  void Settle(uint32_t index, bool failed_before, const Runner::EventOutcome& outcome);
  void Arm(uint32_t index, const Runner::Due& due);
  // Handles a flow that the wheel has woken: its timer fires, at this time, or it is armed again.
  void Wake(uint32_t index, uint64_t at_us, Output& output);
  void CountKept();

  static constexpr uint32_t kMostOpenings = 32;
  // Stops of flows: this many at once, then evenly at this rate, or faster to end within
  // kLongestStopUs.
  static constexpr uint32_t kMostStopsAtOnce = 32;
  static constexpr uint64_t kStopsPerSecond = 50'000;
  static constexpr uint64_t kLongestStopUs = 500'000;
  static constexpr uint32_t kMostSlots = 4096;  // checked in one call

  std::shared_ptr<const ResponderPlan> plan_;
  std::shared_ptr<ResponderCounters> counters_;
  Runner runner_;
  uint64_t now_us_ = 0;
  uint64_t wheel_us_ = 0;  // the time of the wheel
  bool lags_ = false;      // flows that are due by then are still in it
  std::optional<FlowTable> flows_;
  std::optional<Wheel> wheel_;
  std::optional<Opener> opener_;
  std::optional<HugeArray<uint32_t>> numbers_;  // which opening a flow is, plus 1
  uint64_t taken_ = 0;                          // by a trigger
  bool stopping_ = false;
  uint64_t stopped_at_us_ = 0;
  uint64_t stops_per_second_ = 0;
  uint64_t stops_ = 0;      // flows in their turn
  uint32_t unstopped_ = 0;  // flows that have yet to get kStopEvent
  uint32_t next_slot_ = 0;
};

}  // namespace tester::machine
