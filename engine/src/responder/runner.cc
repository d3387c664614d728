// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/runner.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "generator/random_numbers.h"
#include "responder/narrow.h"
#include "responder/scan.h"

namespace tester::machine {
namespace {

constexpr int64_t kLongestTimerUs = INT32_MAX;

void Stop(const State& state, uint64_t timers) {
  kRunning.Set(state, kRunning.Get(state) & ~timers);
}

// How far one sequence number is after another; negative: before.
int64_t Ahead(uint64_t position, uint64_t of) {
  return static_cast<int32_t>(static_cast<uint32_t>(position - of));
}

}  // namespace

Runner::Runner(const Machine& machine, std::vector<bool> failures, uint64_t seed,
               uint32_t most_bytes, ResponderCounters& counters)
    : machine_(machine),
      failures_(std::move(failures)),
      seed_(seed),
      most_bytes_(most_bytes),
      counters_(counters),
      context_{.machine = &machine} {
  for (size_t i = 0; i < machine.timers.size(); ++i) {
    due_[i] = machine.registers[machine.timers[i].reg];
  }
}

Runner::Due Runner::FirstTimer(const State& state, uint32_t now_us) const {
  Due first;
  int32_t least_us = 0;
  for (uint64_t running = kRunning.Get(state); running != 0; running &= running - 1) {
    const auto timer = static_cast<size_t>(std::countr_zero(running));
    const auto at_us = static_cast<uint32_t>(due_[timer].Get(state));
    const auto from_now_us = static_cast<int32_t>(at_us - now_us);
    if (first.timer != kMaxTimers && from_now_us >= least_us) continue;
    first = {.timer = timer, .at_us = at_us};
    least_us = from_now_us;
  }
  return first;
}

Runner::Left Runner::Handle(const InHand& flow, size_t table, uint16_t event, Packet* packet,
                            uint64_t now_us, Output& output) {
  context_.state = flow.state;
  context_.identity = flow.identity;
  context_.packet = packet;
  context_.now_us = now_us;
  context_.facts[kNow] = static_cast<uint32_t>(now_us);
  context_.facts[kNowMs] = static_cast<uint32_t>(now_us / 1000);
  context_.SetBases();
  output_ = &output;
  HandleOne(table, event);
  return FireDue();
}

Runner::Left Runner::Fire(const InHand& flow, size_t timer, uint64_t now_us, Output& output) {
  Stop(flow.state, uint64_t{1} << timer);
  return Handle(flow, machine_.timers[timer].table, machine_.timers[timer].event, nullptr, now_us,
                output);
}

void Runner::HandleOne(size_t table, uint16_t event) {
  rounds_ = 0;
  told_count_ = 0;
  context_.facts[kConsumed] = 0;
  context_.facts[kScanned] = 0;
  Dispatch(table, event);
  for (size_t i = 0; i < told_count_; ++i) Dispatch(told_[i].table, told_[i].event);
  if (rounds_ <= kMostRounds) return;
  counters_.endless.Add(1);
  Reset(0);
}

// Timers of 0 are due at once. One that is started again and again waits for the next microsecond.
Runner::Left Runner::FireDue() {
  const State& state = context_.state;
  const auto now_us = static_cast<uint32_t>(context_.now_us);
  const Table& lowest = machine_.tables[0];
  for (uint32_t fires = 0;; ++fires) {
    if (lowest.state == kNone || machine_.registers[lowest.state].Get(state) == 0) {
      return {.goes_on = false, .due = {}};
    }
    const Due due = FirstTimer(state, now_us);
    if (due.timer == kMaxTimers || static_cast<int32_t>(due.at_us - now_us) > 0 ||
        fires == kMostFires) {
      return {.goes_on = true, .due = due};
    }
    Stop(state, uint64_t{1} << due.timer);
    if (std::exchange(context_.packet, nullptr) != nullptr) context_.SetBases();
    HandleOne(machine_.timers[due.timer].table, machine_.timers[due.timer].event);
  }
}

void Runner::Dispatch(size_t table, uint16_t event) {
  if (++rounds_ > kMostRounds) return;
  const Table& own = machine_.tables[table];
  const uint64_t state = own.state == kNone ? 0 : machine_.registers[own.state].Get(context_.state);
  const Cell& cell = own.cells[state * own.events + event];
  if (cell.decision != Decision::kUndecided) [[likely]] {
    const uint32_t found = Decide(cell.decision, context_, table);
    if (found != Decision::kNoRow) Do(machine_.rows[found & ~Decision::kRow], table);
    return;
  }
  for (uint32_t i = 0; i < cell.rows; ++i) {
    const Row& row = machine_.rows[own.order[cell.first + i]];
    const Test* test = &machine_.tests[row.first_test];
    const Test* const end = test + row.tests;
    while (test != end && Holds(*test, context_, table)) ++test;
    if (test != end) continue;
    Do(row, table);
    return;
  }
}

void Runner::Do(const Row& row, size_t table) {
  Following following;
  const Action* action = &machine_.actions[row.first_action];
  for (const Action* const end = action + row.actions; action != end; ++action) {
    if (action->kind == ActionKind::kSet && action->spot.kind != Spot::Kind::kNone) {
      action->reg.Set(context_.state, Load(action->spot, context_.bases));
    } else {
      Act(*action, table, following);
    }
  }
  if (row.to == 0) {
    Reset(table);
  } else if (row.to != kNone) {
    machine_.registers[machine_.tables[table].state].Set(context_.state, row.to);
  }
  for (uint32_t i = 0; i < following.count; ++i) Dispatch(table, following.events[i]);
}

// The lowest table takes those above with it; what one above has said stays on its way.
void Runner::Reset(size_t table) {
  const State& state = context_.state;
  const size_t words = kLineWords + machine_.aside_words;
  if (table == 0) {
    const uint64_t own = state[kOwnWord] & ~NarrowMask(kFailed.shift);
    for (size_t i = 0; i < words; ++i) state[i] = machine_.initial[i];
    state[kOwnWord] |= own;
    return;
  }
  const Table& own = machine_.tables[table];
  for (size_t i = 0; i < words; ++i) state[i] = (state[i] & ~own.kept[i]) | own.initial[i];
  Stop(state, own.timers);
}

void Runner::Act(const Action& action, size_t table, Following& following) {
  Packet* packet = context_.packet;
  switch (action.kind) {
    case ActionKind::kSet:
    case ActionKind::kAdd:
    case ActionKind::kSubtract:
    case ActionKind::kLimit:
    case ActionKind::kRaise:
      return Assign(action, table);
    case ActionKind::kRandomize:
      return Randomize(machine_.registers[action.a]);
    case ActionKind::kReply:
      if (packet != nullptr) SendReply(machine_.replies[action.a], table);
      return;
    case ActionKind::kSend:
      return Send(machine_.templates[action.a], table, {});
    case ActionKind::kTransmit:
      return SendAll(machine_.transmits[action.a], table);
    case ActionKind::kStartTimer:
      return StartTimer(action, table);
    case ActionKind::kStopTimer:
      return Stop(context_.state, uint64_t{1} << action.a);
    case ActionKind::kCount:
      return Count(action, table);
    case ActionKind::kRecord:
      counters_.histograms[action.a].Add(static_cast<uint32_t>(context_.now_us) -
                                         static_cast<uint32_t>(ValueOf(action.b, table)));
      return;
    case ActionKind::kCall:
      return Call(action, table);
    case ActionKind::kTell:
      return Tell(action.a, action.b);
    case ActionKind::kStep:
      return following.Add(action.a);
    case ActionKind::kSkip:
      if (packet != nullptr) packet->Take(ValueOf(action.a, table));
      return;
    case ActionKind::kLengthen:
      if (packet != nullptr) packet->Lengthen(ValueOf(action.a, table));
      return;
    case ActionKind::kScan:
      if (packet != nullptr) Scan(machine_.scanners[action.a], following);
      return;
    case ActionKind::kTake:
      if (packet != nullptr) Take(machine_.registers[action.a]);
      return;
    case ActionKind::kSay:
      machine_.registers[machine_.tables[table].message].Set(context_.state, action.a);
      return Tell(table - 1, action.b);
  }
}

// a: register, b: expression; detail: both are narrow.
void Runner::Assign(const Action& action, size_t table) {
  const Register& reg = action.reg;
  const State& words = context_.state;
  if (action.detail == 0) return AssignWide(action, table);
  const int64_t value = action.spot.kind != Spot::Kind::kNone
                            ? static_cast<int64_t>(Load(action.spot, context_.bases))
                            : NarrowValue(machine_.expressions[action.b], context_, table);
  const auto bits = static_cast<uint64_t>(value);
  if (action.kind == ActionKind::kSet) return reg.Set(words, bits);
  const uint64_t now = reg.Get(words);
  // What is limited or raised is compared as numbers, and the value has its sign.
  const bool below = value < 0 || bits < now;
  switch (action.kind) {
    case ActionKind::kAdd:
      return reg.Set(words, now + bits);
    case ActionKind::kSubtract:
      return reg.Set(words, now - bits);
    case ActionKind::kLimit:
      return below ? reg.Set(words, bits) : void();
    default:
      return below ? void() : reg.Set(words, bits);
  }
}

void Runner::AssignWide(const Action& action, size_t table) {
  const Register& reg = action.reg;
  const State& words = context_.state;
  const Wide value = Value(machine_.expressions[action.b], context_, table);
  const UnsignedWide now = reg.GetWide(words);
  const bool below = value < 0 || static_cast<UnsignedWide>(value) < now;
  switch (action.kind) {
    case ActionKind::kAdd:
      return reg.SetWide(words, now + static_cast<UnsignedWide>(value));
    case ActionKind::kSubtract:
      return reg.SetWide(words, now - static_cast<UnsignedWide>(value));
    case ActionKind::kLimit:
      return below ? reg.SetWide(words, static_cast<UnsignedWide>(value)) : void();
    case ActionKind::kRaise:
      return below ? void() : reg.SetWide(words, static_cast<UnsignedWide>(value));
    default:
      return reg.SetWide(words, static_cast<UnsignedWide>(value));
  }
}

void Runner::Randomize(const Register& reg) {
  UnsignedWide value = RandomNumber(seed_, draws_++);
  if (reg.bits > 64) value |= UnsignedWide{RandomNumber(seed_, draws_++)} << 64;
  reg.SetWide(context_.state, value);
}

// a: timer, b: expression.
void Runner::StartTimer(const Action& action, size_t table) {
  const int64_t in_us = std::clamp<int64_t>(ValueOf(action.b, table), 0, kLongestTimerUs);
  action.reg.Set(context_.state, context_.facts[kNow] + static_cast<uint64_t>(in_us));
  kRunning.Set(context_.state, kRunning.Get(context_.state) | uint64_t{1} << action.a);
}

// a: counter, b: expression, c: bits.
void Runner::Count(const Action& action, size_t table) {
  if (action.spot.kind != Spot::Kind::kNone) {
    counters_.counters[action.a].Add(Load(action.spot, context_.bases));
  } else {
    const auto value =
        static_cast<uint64_t>(Value(machine_.expressions[action.b], context_, table));
    counters_.counters[action.a].Add(value & NarrowMask(action.c));
  }
  if (failures_[action.a]) kFailed.Set(context_.state, 1);
}

// a: event of the table above; kNone: there is none. detail: with data.
void Runner::Call(const Action& action, size_t table) {
  Packet* packet = context_.packet;
  const uint32_t before = packet != nullptr ? packet->taken : 0;
  if (action.a == kNone) {
    if (packet != nullptr && action.detail != 0) packet->Take(packet->left());
  } else if (packet != nullptr && action.detail != 0) {
    CallWithData(table + 1, action.a);
  } else {
    Dispatch(table + 1, action.a);
  }
  context_.facts[kConsumed] = packet != nullptr ? packet->taken - before : 0;
}

// Again as long as something of it is taken.
void Runner::CallWithData(size_t table, uint16_t event) {
  Packet& packet = *context_.packet;
  uint32_t last = packet.taken;
  Dispatch(table, event);
  while (packet.left() > 0 && packet.taken > last && rounds_ <= kMostRounds) {
    last = packet.taken;
    Dispatch(table, event);
  }
}

void Runner::Tell(size_t table, uint16_t event) {
  if (told_count_ == told_.size()) {
    rounds_ = kMostRounds + 1;
    return;
  }
  told_[told_count_++] = {.table = static_cast<uint8_t>(table), .event = event};
}

void Runner::Scan(const Scanner& scanner, Following& following) {
  Packet& packet = *context_.packet;
  const Scanned scanned = ScanPiece(machine_, scanner, packet.rest(), context_.state);
  context_.facts[kScanned] = packet.Take(scanned.taken);
  if (scanned.ended) {
    following.Add(scanner.ended);
  } else if (scanned.overlong) {
    following.Add(scanner.overlong);
  }
}

void Runner::Take(const Register& reg) {
  const State& words = context_.state;
  const UnsignedWide wanted = reg.GetWide(words);
  const auto most = static_cast<int64_t>(std::min<UnsignedWide>(wanted, INT64_MAX));
  reg.SetWide(words, wanted - context_.packet->Take(most));
}

void Runner::Finished(size_t bytes) {
  if (bytes == 0) {
    counters_.too_long.Add(1);
    return;
  }
  output_->End(bytes);
}

void Runner::Send(const FrameTemplate& frame, size_t table, const Piece& piece) {
  uint8_t* to = output_->Begin();
  if (to == nullptr) {
    counters_.not_sent.Add(1);
    return;
  }
  Finished(WriteTemplate(frame, context_, table, piece, most_bytes_, to));
}

void Runner::SendReply(const Reply& reply, size_t table) {
  uint8_t* to = output_->Begin();
  if (to == nullptr) {
    counters_.not_sent.Add(1);
    return;
  }
  Finished(WriteReply(reply, context_, table, most_bytes_, to));
}

void Runner::SendAll(const Transmit& transmit, size_t table) {
  const State& words = context_.state;
  const Register& position = machine_.registers[transmit.position];
  const TableMessage* message = MessageOf(context_, table + 1);
  const auto end = static_cast<uint64_t>(ValueOf(transmit.end, table));
  const bool closing =
      transmit.closing != kNone && machine_.registers[transmit.closing].GetWide(words) != 0;
  const auto length = static_cast<int64_t>(MessageBytes(context_, table + 1));
  const uint64_t begin = end - (closing ? 1 : 0) - static_cast<uint64_t>(length);
  int64_t ahead = Ahead(end, position.Get(words));
  for (const uint16_t edge : transmit.edges) {
    const auto limit = static_cast<uint64_t>(ValueOf(edge, table));
    ahead = std::min(ahead, Ahead(limit, position.Get(words)));
  }
  const int64_t size = std::max<int64_t>(1, ValueOf(transmit.size, table));
  for (uint32_t i = 0; i < transmit.most && ahead > 0; ++i) {
    const int64_t offset = Ahead(position.Get(words), begin);
    if (offset < 0) break;
    int64_t count = std::min({size, ahead, length - offset});
    if (count > 0 && message != nullptr) {
      Send(machine_.templates[transmit.frame], table,
           {.message = message,
            .offset = static_cast<uint64_t>(offset),
            .bytes = static_cast<uint32_t>(count)});
    } else {
      if (transmit.final == kNone) break;
      count = 1;
      Send(machine_.templates[transmit.final], table, {});
    }
    ahead -= count;
    position.Set(words, position.Get(words) + static_cast<uint64_t>(count));
  }
  if (transmit.reached == kNone) return;
  const Register& reached = machine_.registers[transmit.reached];
  if (Ahead(position.Get(words), reached.Get(words)) > 0) {
    reached.Set(words, position.Get(words));
  }
}

}  // namespace tester::machine
