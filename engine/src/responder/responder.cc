// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/responder.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/mix.h"
#include "base/random_numbers.h"

namespace tester::machine {
namespace {

// The wheel does not distinguish longer times.
constexpr uint64_t kLongestStepUs = INT32_MAX;
constexpr uint64_t kMicrosecondsPerSecond = 1'000'000;

uint64_t FrameBytesOnWire(size_t bytes) {
  constexpr uint64_t kFcsBytes = 4;
  return bytes + kFcsBytes;
}

}  // namespace

Responder::Responder(std::shared_ptr<const ResponderPlan> plan, const CompiledTable* compiled,
                     std::shared_ptr<ResponderCounters> counters)
    : plan_(std::move(plan)),
      counters_(std::move(counters)),
      runner_(plan_->machine, compiled, plan_->failures, plan_->seed, plan_->most_bytes,
              *counters_) {
  if (plan_->machine.keeps_flows) {
    // It has a seed of its own, so that the numbers drawn for the table stay the same.
    flows_.emplace(plan_->capacity, plan_->machine.key_bytes, plan_->machine.cold_word_count,
                   RandomNumber(~plan_->seed, 0) ^ kMixSecret);
    wheel_.emplace(*flows_);
  }
  if (!plan_->opening) return;
  opener_.emplace(*plan_->opening, plan_->machine.keeps_flows);
  if (flows_) numbers_.emplace(plan_->capacity);
}

uint64_t Responder::BytesFor(const ResponderPlan& plan) {
  if (!plan.machine.keeps_flows) return 0;
  const uint64_t flows =
      FlowTable::BytesFor(plan.capacity, plan.machine.key_bytes, plan.machine.cold_word_count);
  return flows + (plan.opening ? plan.capacity * sizeof(uint32_t) : 0);
}

void Responder::Begin(uint64_t start_us, uint64_t end_us) {
  if (!opener_) return;
  opener_->Begin(start_us, end_us);
  counters_->opening.store(true, std::memory_order_relaxed);
}

void Responder::ReadKey(const Packet& packet, Key& key) const {
  key = {};
  for (const KeyRun& run : plan_->machine.key_runs) {
    CopyField(key.data() + run.key_offset, packet.frame + packet.headers[run.header] + run.first,
              run.bytes);
  }
  if (!plan_->machine.key_runs.empty()) return;
  for (const FlowField& field : plan_->machine.flow) {
    const uint8_t* header = packet.frame + packet.headers[field.place.header];
    uint8_t* to = key.data() + field.key_offset;
    if (field.place.aligned()) {
      CopyField(to, header + field.place.first(), field.bytes());
      continue;
    }
    const FieldPlace whole{
        .header = 0, .bits = static_cast<uint8_t>(field.bytes() * 8), .offset = 0};
    WriteField(whole, ReadField(field.place, header), to);
  }
}

bool Responder::GoesOff(Packet& packet) {
  if (plan_->most_taken != 0 && taken_ == plan_->most_taken) return false;
  if (!runner_.DoesAnythingFor(packet)) return false;
  ++taken_;
  return true;
}

Taken Responder::Take(Frame frame, Arrived& arrived) {
  const Parsed parsed = Parse(plan_->machine, frame, arrived.packet);
  if (parsed == Parsed::kForeign) {
    counters_->foreign.Add(1);
    return Taken::kNot;
  }
  if (parsed == Parsed::kGood && !Takes(plan_->accepts, arrived.packet)) return Taken::kNot;
  if (plan_->is_trigger && (parsed != Parsed::kGood || !GoesOff(arrived.packet))) {
    return Taken::kNot;
  }
  counters_->rx_packets.Add(1);
  counters_->rx_bytes.Add(FrameBytesOnWire(frame.size()));
  if (parsed == Parsed::kMalformed) {
    counters_->malformed.Add(1);
    return Taken::kMalformed;
  }
  Identity& identity = arrived.identity;
  std::memcpy(identity.link.data(), arrived.packet.frame + 6, 6);
  std::memcpy(identity.link.data() + 6, arrived.packet.frame, 6);
  ReadKey(arrived.packet, identity.key);
  arrived.hash = flows_ ? flows_->Hash(identity.key) : 0;
  return Taken::kYes;
}

void Responder::PrefetchSlot(const Arrived& arrived) const {
  if (flows_) flows_->PrefetchSlot(arrived.hash);
}

void Responder::PrefetchFlow(const Arrived& arrived) const {
  if (flows_) flows_->PrefetchFlow(arrived.hash);
}

void Responder::Receive(Arrived& arrived, uint64_t now_us, Output& output) {
  if (now_us > now_us_) AdvanceTimers(now_us, output);
  const Identity& identity = arrived.identity;
  const uint32_t index = flows_ ? flows_->Find(identity.key, arrived.hash) : kNoFlow;
  if (index == kNoFlow) {
    if (stopping_) return;
    HandleNew(identity, arrived.hash, kNoNumber, kPacketEvent, &arrived.packet, output);
    return;
  }
  flows_->SetLink(index, identity.link);
  if (NeedsStop(index)) return StopFlow(index, output);
  const State state = flows_->StateOf(index);
  const bool failed = kFailed.Get(state) != 0;
  const Runner::EventOutcome outcome =
      runner_.Handle({state, &identity}, 0, kPacketEvent, &arrived.packet, now_us, output);
  Settle(index, failed, outcome);
}

void Responder::HandleNew(const Identity& identity, uint64_t hash, uint32_t number, uint16_t event,
                          Packet* packet, Output& output) {
  if (flows_ && flows_->full()) {
    counters_->full.Add(1);
    if (number != kNoNumber) opener_->Ended(number, false);
    return;
  }
  const Words& initial = plan_->machine.initial;
  FreshFlow flow;
  std::copy_n(initial.begin(), kLineWords, flow.flow.words.begin());
  std::copy_n(initial.begin() + kLineWords, kColdWordCount, flow.cold_words.begin());
  flow.identity = identity;
  const State state = flow.state();
  const Runner::EventOutcome outcome =
      runner_.Handle({state, &identity}, 0, event, packet, now_us_, output);
  const bool failed = kFailed.Get(state) != 0;
  if (failed) counters_->flows_failed.Add(1);
  if (!outcome.goes_on || !flows_) {
    if (number != kNoNumber) opener_->Ended(number, failed);
    return;
  }
  const uint32_t index = flows_->Insert(flow, hash);
  if (numbers_) (*numbers_)[index] = number + 1;
  counters_->flows_begun.Add(1);
  CountKept();
  Arm(index, outcome.due);
}

void Responder::CountKept() {
  counters_->flows.Set(flows_->size());
  counters_->most_flows.Raise(flows_->size());
}

// After an event of a flow that is kept.
void Responder::Settle(uint32_t index, bool failed_before, const Runner::EventOutcome& outcome) {
  const bool failed = kFailed.Get((*flows_)[index].words) != 0;
  const bool stopped = kStopped.Get((*flows_)[index].words) != 0;
  if (failed && !failed_before && !stopped) counters_->flows_failed.Add(1);
  if (outcome.goes_on) {
    Arm(index, outcome.due);
    return;
  }
  flows_->Erase(index);
  (stopped ? counters_->flows_stopped : counters_->flows_ended).Add(1);
  CountKept();
  if (!numbers_) return;
  const uint32_t number = std::exchange((*numbers_)[index], 0) - 1;
  if (number != kNoNumber) opener_->Ended(number, failed);
}

// A flow whose first timer moved to a later time, or that ended, wakes once without effect. Moving
// its entry each time would cost more.
void Responder::Arm(uint32_t index, const Runner::Due& due) {
  if (due.timer == kMaxTimers) return;
  const uint32_t now_us = wheel_->now_us();
  // One of 0 that was started too often.
  wheel_->Arm(index, static_cast<int32_t>(due.at_us - now_us) <= 0 ? now_us + 1 : due.at_us);
}

void Responder::Wake(uint32_t index, uint64_t at_us, Output& output) {
  const State state = flows_->StateOf(index);
  const uint32_t due_us = wheel_->now_us();
  const Runner::Due due = runner_.FirstTimer(state, due_us);
  if (due.timer == kMaxTimers) return;
  if (static_cast<int32_t>(due.at_us - due_us) > 0) return Arm(index, due);
  if (NeedsStop(index)) return StopFlow(index, output);
  const Identity identity = flows_->IdentityOf(index);
  const bool failed = kFailed.Get(state) != 0;
  Settle(index, failed, runner_.Fire({state, &identity}, due.timer, at_us, output));
}

bool Responder::AdvanceTimers(uint64_t now_us, Output& output) {
  // Flows may have had events until then: none goes back in time.
  const uint64_t before_us = std::exchange(now_us_, std::max(now_us_, now_us));
  uint32_t wakes = 0;
  while (wheel_ && (lags_ || wheel_us_ < now_us_)) {
    const uint64_t step_us = std::min(now_us_ - wheel_us_, kLongestStepUs);
    const auto begin_us = static_cast<uint32_t>(wheel_us_);
    const auto end_us = static_cast<uint32_t>(wheel_us_ + step_us);
    for (;; ++wakes) {
      lags_ = wakes == kMostWakes;
      if (lags_) {
        wheel_us_ += wheel_->now_us() - begin_us;
        return true;
      }
      const uint32_t index = wheel_->Next(end_us);
      if (index == kNoFlow) break;
      Wake(index, std::max(wheel_us_ + (wheel_->now_us() - begin_us), before_us), output);
    }
    wheel_us_ += step_us;
  }
  return false;
}

bool Responder::Start(const Identity& identity, uint32_t number, uint64_t now_us, Output& output) {
  if (now_us > now_us_) AdvanceTimers(now_us, output);
  const uint64_t hash = flows_ ? flows_->Hash(identity.key) : 0;
  if (flows_ && flows_->Find(identity.key, hash) != kNoFlow) {
    if (number != kNoNumber) opener_->Ended(number, false);
    return false;
  }
  counters_->openings.Add(1);
  HandleNew(identity, hash, number, kStartEvent, nullptr, output);
  return true;
}

uint32_t Responder::Open(uint64_t now_us, Output& output) {
  uint32_t opened = 0;
  uint64_t put_off = 0;
  for (; opened < kMostOpenings && opener_->IsDue(now_us, put_off); ++opened) {
    const uint32_t number = opener_->Take();
    Identity identity;
    SetAddresses(plan_->machine, *plan_->opening, number, identity);
    Start(identity, flows_ ? number : kNoNumber, now_us, output);
  }
  if (put_off > 0) counters_->put_off.Add(put_off);
  if (opened == 0 && opener_->Over(now_us)) {
    counters_->opening.store(false, std::memory_order_relaxed);
  }
  return opened;
}

bool Responder::ends_flows() const {
  const Table& lowest = plan_->machine.tables[0];
  if (!flows_) return false;
  for (size_t state = 0; state < lowest.states; ++state) {
    if (lowest.cells[state * lowest.events + kStopEvent].rows != 0) return true;
  }
  return false;
}

void Responder::Stop(uint64_t now_us) {
  if (stopping_) return;
  stopping_ = true;
  counters_->opening.store(false, std::memory_order_relaxed);
  if (!flows_) return;
  stopped_at_us_ = now_us;
  unstopped_ = flows_->size();
  stops_per_second_ =
      std::max(kStopsPerSecond, uint64_t{unstopped_} * kMicrosecondsPerSecond / kLongestStopUs);
}

bool Responder::NeedsStop(uint32_t index) const {
  return stopping_ && kStopped.Get((*flows_)[index].words) == 0;
}

void Responder::StopFlow(uint32_t index, Output& output) {
  const State state = flows_->StateOf(index);
  const Identity identity = flows_->IdentityOf(index);
  const bool failed = kFailed.Get(state) != 0;
  kStopped.Set(state, 1);
  --unstopped_;
  Settle(index, failed, runner_.Stop({state, &identity}, now_us_, output));
}

bool Responder::StopDueFlows(uint64_t now_us, Output& output) {
  const uint64_t due =
      kMostStopsAtOnce + (now_us - stopped_at_us_) * stops_per_second_ / kMicrosecondsPerSecond;
  uint32_t stops = 0;
  for (uint32_t looks = 0;
       looks < kMostSlots && stops < kMostStopsAtOnce && unstopped_ > 0 && stops_ < due; ++looks) {
    const uint32_t index = flows_->InSlot(next_slot_);
    if (index == kNoFlow || !NeedsStop(index)) {
      next_slot_ = (next_slot_ + 1) % flows_->slots();
      continue;
    }
    // Another flow may move to this slot, so it is checked again.
    StopFlow(index, output);
    ++stops_;
    ++stops;
  }
  return stops > 0;
}

bool Responder::Advance(uint64_t now_us, Output& output) {
  const bool lags = AdvanceTimers(now_us, output);
  if (stopping_) return StopDueFlows(now_us, output) || lags;
  return (opener_ && Open(now_us, output) > 0) || lags;
}

}  // namespace tester::machine
