// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/machine/runner.h"

#include <bit>
#include <utility>

#include "responder/machine/action_list.h"
#include "responder/machine/narrow.h"

namespace tester::machine {
namespace {

constexpr ActionKind kAssign = KindOfAction<AssignAction>();
constexpr auto kSet = static_cast<uint16_t>(VariableChange::kSet);

}  // namespace

// An action of an interpreted row, and its operands.
class Runner::InterpretedStep {
 public:
  InterpretedStep(Runner& runner, const Action& action, size_t table, Following& following)
      : runner_(runner), action_(action), table_(table), following_(following) {}

  const Action& action() const { return action_; }
  size_t table() const { return table_; }
  const Machine& machine() const { return runner_.machine_; }
  EventContext& event_context() const { return runner_.event_context_; }
  int64_t ValueOfA() const { return runner_.ValueOf(action_.a, table_); }
  int64_t ValueOfB() const { return runner_.ValueOf(action_.b, table_); }
  const Register& RegisterOfA() const { return machine().registers[action_.a]; }
  void Follow(uint16_t event) const { following_.Add(event); }
  void Assign() const { runner_.Assign(action_, table_); }
  void Call() const { runner_.Call(action_, table_); }
  void Count() const { runner_.Count(action_, table_); }
  void Send() const { event_context().Send(machine().templates[action_.a], table_, {}); }
  void SendAll() const { runner_.SendAll(machine().transmits[action_.a], table_); }

 private:
  Runner& runner_;
  const Action& action_;
  size_t table_;
  Following& following_;
};

Runner::Runner(const Machine& machine, const CompiledTable* compiled, std::vector<bool> failures,
               uint64_t seed, uint32_t most_bytes, ResponderCounters& counters)
    : machine_(machine),
      compiled_(compiled),
      event_context_{.machine = machine,
                     .failures = std::move(failures),
                     .seed = seed,
                     .most_bytes = most_bytes,
                     .counters = counters,
                     .context = {.machine = &machine}} {
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

Runner::EventOutcome Runner::Handle(const InHand& flow, size_t table, uint16_t event,
                                    Packet* packet, uint64_t now_us, Output& output) {
  Context& context = event_context_.context;
  context.state = flow.state;
  context.identity = flow.identity;
  context.packet = packet;
  context.now_us = now_us;
  context.facts[kNow] = static_cast<uint32_t>(now_us);
  context.facts[kNowMs] = static_cast<uint32_t>(now_us / 1000);
  context.SetBases();
  event_context_.output = &output;
  HandleOne(table, event);
  return FireDue();
}

Runner::EventOutcome Runner::Fire(const InHand& flow, size_t timer, uint64_t now_us,
                                  Output& output) {
  event_context_.context.state = flow.state;
  event_context_.StopTimers(uint64_t{1} << timer);
  return Handle(flow, machine_.timers[timer].table, machine_.timers[timer].event, nullptr, now_us,
                output);
}

Runner::EventOutcome Runner::Stop(const InHand& flow, uint64_t now_us, Output& output) {
  const Table& lowest = machine_.tables[0];
  const uint64_t state = machine_.registers[lowest.state].Get(flow.state);
  if (lowest.cells[state * lowest.events + kStopEvent].rows == 0) {
    return {.goes_on = false, .due = {}};
  }
  return Handle(flow, 0, kStopEvent, nullptr, now_us, output);
}

void Runner::HandleOne(size_t table, uint16_t event) {
  event_context_.rounds = 0;
  event_context_.pending_count = 0;
  event_context_.context.facts[kConsumed] = 0;
  event_context_.context.facts[kScanned] = 0;
  Dispatch(table, event);
  for (size_t i = 0; i < event_context_.pending_count; ++i)
    Dispatch(event_context_.pending[i].table, event_context_.pending[i].event);
  if (event_context_.rounds <= EventContext::kMostRounds) return;
  event_context_.counters.endless.Add(1);
  event_context_.Reset(0);
}

// Timers of 0 are due at once. A timer that restarts itself repeatedly waits for the next
// microsecond.
Runner::EventOutcome Runner::FireDue() {
  Context& context = event_context_.context;
  const auto now_us = static_cast<uint32_t>(context.now_us);
  const Table& lowest = machine_.tables[0];
  for (uint32_t fires = 0;; ++fires) {
    if (lowest.state == kNone || event_context_.StateOf(lowest.state) == 0) {
      return {.goes_on = false, .due = {}};
    }
    const Due due = FirstTimer(context.state, now_us);
    if (due.timer == kMaxTimers || static_cast<int32_t>(due.at_us - now_us) > 0 ||
        fires == kMostFires) {
      return {.goes_on = true, .due = due};
    }
    event_context_.StopTimers(uint64_t{1} << due.timer);
    if (std::exchange(context.packet, nullptr) != nullptr) context.SetBases();
    HandleOne(machine_.timers[due.timer].table, machine_.timers[due.timer].event);
  }
}

const Row* Runner::FindRow(size_t table, uint16_t event) const {
  const Table& definition = machine_.tables[table];
  const Cell& cell =
      definition.cells[event_context_.StateOf(definition.state) * definition.events + event];
  if (cell.decision != Decision::kUndecided) [[likely]] {
    const uint32_t found = Decide(cell.decision, event_context_.context, table);
    return found == Decision::kNoRow ? nullptr : &machine_.rows[found & ~Decision::kRow];
  }
  for (uint32_t i = 0; i < cell.rows; ++i) {
    const Row& row = machine_.rows[definition.order[cell.first + i]];
    const Test* test = &machine_.tests[row.first_test];
    const Test* const end = test + row.tests;
    while (test != end && Holds(*test, event_context_.context, table)) ++test;
    if (test == end) return &row;
  }
  return nullptr;
}

bool Runner::DoesAnythingFor(Packet& packet) {
  event_context_.context.packet = &packet;
  event_context_.context.SetBases();
  const Row* const row = FindRow(0, kPacketEvent);
  return row != nullptr && row->actions != 0;
}

void Runner::Interpret(size_t table, uint16_t event) {
  if (!event_context_.Enters()) return;
  if (const Row* const row = FindRow(table, event)) Do(*row, table);
}

void Runner::Do(const Row& row, size_t table) {
  Following following;
  const Action* action = &machine_.actions[row.first_action];
  for (const Action* const end = action + row.actions; action != end; ++action) {
    if (action->kind == kAssign && action->c == kSet &&
        action->load.kind != FieldLoad::Kind::kNone) {
      action->reg.Set(event_context_.context.state,
                      Load(action->load, event_context_.context.bases));
    } else {
      DoAction(InterpretedStep(*this, *action, table, following));
    }
  }
  if (row.to == 0) {
    event_context_.Reset(table);
  } else if (row.to != kNone) {
    machine_.registers[machine_.tables[table].state].Set(event_context_.context.state, row.to);
  }
  for (uint32_t i = 0; i < following.count; ++i) Dispatch(table, following.events[i]);
}

// a: register, b: expression; detail: both are narrow.
void Runner::Assign(const Action& action, size_t table) {
  const Expression& expression = machine_.expressions[action.b];
  if (action.detail == 0) {
    return event_context_.ChangeWide(static_cast<VariableChange>(action.c), action.reg,
                                     Value(expression, event_context_.context, table));
  }
  const int64_t value = action.load.kind != FieldLoad::Kind::kNone
                            ? static_cast<int64_t>(Load(action.load, event_context_.context.bases))
                            : NarrowValue(expression, event_context_.context, table);
  event_context_.Change(static_cast<VariableChange>(action.c), action.reg, value);
}

// a: counter, b: expression, c: bits.
void Runner::Count(const Action& action, size_t table) {
  if (action.load.kind != FieldLoad::Kind::kNone) {
    return event_context_.Count(action.a, Load(action.load, event_context_.context.bases));
  }
  const Int128 value = Value(machine_.expressions[action.b], event_context_.context, table);
  event_context_.Count(action.a, static_cast<uint64_t>(value) & NarrowMask(action.c));
}

void Runner::SendAll(const Transmit& transmit, size_t table) {
  Reach reach{.end = static_cast<uint64_t>(ValueOf(transmit.end, table)),
              .size = ValueOf(transmit.size, table)};
  for (uint16_t i = 0; i < transmit.edge_count; ++i) {
    reach.edges[i] = static_cast<uint64_t>(ValueOf(transmit.edges[i], table));
  }
  event_context_.SendAll(
      transmit, table, reach,
      [&](const Piece& piece) {
        event_context_.Send(machine_.templates[transmit.frame], table, piece);
      },
      [&] { event_context_.Send(machine_.templates[transmit.final], table, {}); });
}

// a: event of the table above; kNone: no event. detail: with data.
void Runner::Call(const Action& action, size_t table) {
  const bool data = action.detail != 0;
  if (action.a == kNone) return event_context_.CallNobody(data);
  event_context_.Call(data, [&] { Dispatch(table + 1, action.a); });
}

}  // namespace tester::machine
