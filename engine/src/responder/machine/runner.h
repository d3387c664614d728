// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Runs the rows of a table for one event of one flow, and for the events that follow from it:
// compiled or interpreted. TesterLibrary/protocols/interpreter.py is the definition.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "responder/machine/compiled_table.h"
#include "responder/machine/event_context.h"

namespace tester::machine {

class Runner {
 public:
  // `compiled`: code of this machine; null: interpret. `failures`: for each counter, whether it
  // marks a flow as failed.
  Runner(const Machine& machine, const CompiledTable* compiled, std::vector<bool> failures,
         uint64_t seed, uint32_t most_bytes, ResponderCounters& counters);

  struct InHand {
    State state;
    const Identity* identity;
  };

  // The running timer that is due first, and when.
  struct Due {
    size_t timer = kMaxTimers;  // none
    uint32_t at_us = 0;
  };
  // The result of an event: whether the flow continues, and its first timer.
  struct EventOutcome {
    bool goes_on;
    Due due;
  };

  // An event of the lowest table or, of a timer, of any, and the timers that are due by it.
  EventOutcome Handle(const InHand& flow, size_t table, uint16_t event, Packet* packet,
                      uint64_t now_us, Output& output);
  // A timer of a flow, which is due.
  EventOutcome Fire(const InHand& flow, size_t timer, uint64_t now_us, Output& output);

  // Whether something is done for a packet, by a table that keeps no flows.
  bool DoesAnythingFor(Packet& packet);

  // The event kStopEvent. A flow in a state without a row for it ends, and nothing is sent.
  EventOutcome Stop(const InHand& flow, uint64_t now_us, Output& output);

  Due FirstTimer(const State& state, uint32_t now_us) const;

 private:
  class InterpretedStep;

  void HandleOne(size_t table, uint16_t event);
  EventOutcome FireDue();
  void Dispatch(size_t table, uint16_t event) {
    if (compiled_ != nullptr) return compiled_->dispatch[table](event_context_, event);
    Interpret(table, event);
  }
  // The first row of the present state whose tests hold; null without one.
  const Row* FindRow(size_t table, uint16_t event) const;
  void Interpret(size_t table, uint16_t event);
  void Do(const Row& row, size_t table);
  void Assign(const Action& action, size_t table);
  void Call(const Action& action, size_t table);
  void Count(const Action& action, size_t table);
  void SendAll(const Transmit& transmit, size_t table);
  int64_t ValueOf(uint16_t expression, size_t table) const {
    const Expression& definition = machine_.expressions[expression];
    return definition.wide ? Clamped(definition, event_context_.context, table)
                           : NarrowValue(definition, event_context_.context, table);
  }

  static constexpr uint32_t kMostFires = 64;  // of timers of 0

  const Machine& machine_;
  const CompiledTable* const compiled_;
  std::array<Register, kMaxTimers> due_;  // when each timer is
  EventContext event_context_;
};

}  // namespace tester::machine
