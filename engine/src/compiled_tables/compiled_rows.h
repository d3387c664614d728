// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The rows of one table as code: constants take the place of what runner.cc reads from a machine,
// so a question is a comparison and an action a few instructions. Both call the same functions
// (event_context.h, narrow.h).
#pragma once

#include <cstdint>
#include <utility>

#include "compiled_tables/compiled_frames.h"
#include "compiled_tables/compiled_values.h"
#include "responder/machine/action_list.h"
#include "responder/machine/compiled_table.h"
#include "responder/machine/event_context.h"
#include "responder/machine/narrow.h"

namespace tester::machine {

template <const Shape& kShape>
class CompiledRows {
 public:
  template <size_t table>
  static void Dispatch(EventContext& event_context, uint16_t event) {
    if (!event_context.Enters()) return;
    static constexpr const Shape::Table& kTable = kShape.tables[table];
    kCells<table>[Values::template StateOf<table>(event_context) * kTable.events + event](
        event_context);
  }

 private:
  using Cell = void (*)(EventContext& event_context);
  using Values = CompiledValues<kShape>;
  using Frames = CompiledFrames<kShape>;

  template <size_t table>
  static constexpr auto CellsOf() {
    return []<size_t... i>(std::index_sequence<i...>) {
      return std::array<Cell, sizeof...(i)>{Decide<table, kShape.tables[table].decisions[i]>...};
    }
    (std::make_index_sequence<kShape.tables[table].decisions.size()>{});
  }
  template <size_t table>
  static constexpr auto kCells = CellsOf<table>();

  template <size_t table, uint32_t next>
  static void Decide(EventContext& event_context) {
    if constexpr (next == Decision::kNoRow) {
      return;
    } else if constexpr ((next & Decision::kRow) != 0) {
      Do<table, (next & ~Decision::kRow)>(event_context);
    } else {
      Ask<table, next>(event_context);
    }
  }

  template <size_t table, uint32_t index>
  static void Ask(EventContext& event_context) {
    using Kind = Decision::Kind;
    static constexpr Decision kDecision = kShape.decisions[index];
    static constexpr auto kFirst = [] { return kShape.decisions[index].first; };
    static constexpr auto kSecond = [] { return kShape.decisions[index].second; };
    if constexpr (kDecision.kind == Kind::kPair) {
      Branch<table, index>(event_context, Values::ValueAt(kFirst, event_context) & kDecision.mask,
                           Values::ValueAt(kSecond, event_context) & kDecision.mask);
    } else if constexpr (kDecision.kind == Kind::kValues) {
      const auto left =
          static_cast<uint64_t>(Values::template NarrowOf<table, kDecision.left>(event_context));
      const auto right =
          static_cast<uint64_t>(Values::template NarrowOf<table, kDecision.right>(event_context));
      Branch<table, index>(event_context, left & kDecision.mask, right & kDecision.mask);
    } else if constexpr (kDecision.kind == Kind::kMask) {
      Answer<table, index>(event_context, (Values::ValueAt(kFirst, event_context) &
                                           kDecision.mask) == kDecision.value);
    } else {
      static_assert(kDecision.kind == Kind::kTest);
      Answer<table, index>(event_context, Holds(event_context.machine.tests[kDecision.left],
                                                event_context.context, table));
    }
  }

  template <size_t table, uint32_t index>
  static void Answer(EventContext& event_context, bool yes) {
    static constexpr Decision kDecision = kShape.decisions[index];
    if (yes) return Decide<table, kDecision.next[1]>(event_context);
    Decide<table, kDecision.next[0]>(event_context);
  }

  // Asks only what the next steps depend on.
  template <size_t table, uint32_t index>
  static void Branch(EventContext& event_context, uint64_t left, uint64_t right) {
    static constexpr Decision kDecision = kShape.decisions[index];
    static constexpr auto kNext = kDecision.next;
    if (left == right) return Decide<table, kNext[kSame]>(event_context);
    const auto unlike = [&event_context, left, right]<Comparison kOther, Comparison kBefore> {
      if constexpr (kNext[kOther] != kNext[kBefore]) {
        const bool before = ((left - right) & kDecision.mask) > kDecision.mask >> 1;
        if (before) return Decide<table, kNext[kBefore]>(event_context);
      }
      Decide<table, kNext[kOther]>(event_context);
    };
    if constexpr (kNext[kHigher] != kNext[kLower] || kNext[kHigherBefore] != kNext[kLowerBefore]) {
      if (left < right) return unlike.template operator()<kLower, kLowerBefore>();
    }
    unlike.template operator()<kHigher, kHigherBefore>();
  }

  template <size_t table, uint32_t index>
  static void Do(EventContext& event_context) {
    static constexpr Row kRow = kShape.rows[index];
    Following following;
    [&event_context, &following ]<uint32_t... i>(std::integer_sequence<uint32_t, i...>) {
      (Act<table, kRow.first_action + i>(event_context, following), ...);
    }
    (std::make_integer_sequence<uint32_t, kRow.actions>{});
    if constexpr (kRow.to == 0) {
      event_context.Reset(table);
    } else if constexpr (kRow.to != kNone) {
      static constexpr Register kState = kShape.registers[kShape.tables[table].state];
      kState.Set(event_context.context.state, kRow.to);
    }
    for (uint32_t i = 0; i < following.count; ++i)
      Dispatch<table>(event_context, following.events[i]);
  }

  // An action known at compile time, and its operands.
  template <size_t kTable, uint32_t kIndex>
  class CompiledStep {
   public:
    CompiledStep(EventContext& event_context, Following& following)
        : event_context_(event_context), following_(following) {}

    static constexpr const Action& action() { return kShape.actions[kIndex]; }
    static constexpr size_t table() { return kTable; }
    const Machine& machine() const { return event_context_.machine; }
    EventContext& event_context() const { return event_context_; }
    int64_t ValueOfA() const {
      return Values::template ValueOf<kTable, kShape.actions[kIndex].a>(event_context_);
    }
    int64_t ValueOfB() const {
      return Values::template ValueOf<kTable, kShape.actions[kIndex].b>(event_context_);
    }
    static constexpr const Register& RegisterOfA() {
      return kShape.registers[kShape.actions[kIndex].a];
    }
    void Follow(uint16_t event) const { following_.Add(event); }
    void Assign() const { CompiledRows::Assign<kTable, kIndex>(event_context_); }
    void Call() const { CompiledRows::Call<kTable, kIndex>(event_context_); }
    void Count() const { CompiledRows::Count<kTable, kIndex>(event_context_); }
    void Send() const {
      Frames::template Send<kTable, kShape.actions[kIndex].a>(event_context_, {});
    }
    void SendAll() const {
      CompiledRows::SendAll<kTable, kShape.actions[kIndex].a>(event_context_);
    }

   private:
    EventContext& event_context_;
    Following& following_;
  };

  template <size_t table, uint32_t index>
  [[gnu::always_inline]] static void Act(EventContext& event_context, Following& following) {
    ActionOf<kShape.actions[index].kind>::Do(CompiledStep<table, index>(event_context, following));
  }

  template <size_t table, uint32_t index>
  static void Assign(EventContext& event_context) {
    static constexpr Action kAction = kShape.actions[index];
    if constexpr (kAction.detail == 0) {
      const Expression& expression = event_context.machine.expressions[kAction.b];
      event_context.ChangeWide(static_cast<VariableChange>(kAction.c), kAction.reg,
                               Value(expression, event_context.context, table));
    } else {
      event_context.Change(static_cast<VariableChange>(kAction.c), kAction.reg,
                           Values::template NarrowOf<table, kAction.b>(event_context));
    }
  }

  template <size_t table, uint32_t index>
  static void Count(EventContext& event_context) {
    static constexpr Action kAction = kShape.actions[index];
    uint64_t value;
    if constexpr (kShape.expressions[kAction.b].wide) {
      const Expression& expression = event_context.machine.expressions[kAction.b];
      value = static_cast<uint64_t>(Value(expression, event_context.context, table));
    } else {
      value = static_cast<uint64_t>(Values::template NarrowOf<table, kAction.b>(event_context));
    }
    event_context.Count(kAction.a, value & NarrowMask(kAction.c));
  }

  template <size_t table, uint32_t index>
  static void Call(EventContext& event_context) {
    static constexpr Action kAction = kShape.actions[index];
    if constexpr (kAction.a == kNone) {
      event_context.CallNobody(kAction.detail != 0);
    } else {
      event_context.Call(kAction.detail != 0,
                         [&event_context] { Dispatch<table + 1>(event_context, kAction.a); });
    }
  }

  template <size_t table, uint16_t index>
  static void SendAll(EventContext& event_context) {
    static constexpr Transmit kTransmit = kShape.transmits[index];
    Reach reach{
        .end = static_cast<uint64_t>(Values::template ValueOf<table, kTransmit.end>(event_context)),
        .size = Values::template ValueOf<table, kTransmit.size>(event_context)};
    [&event_context, &reach ]<size_t... i>(std::index_sequence<i...>) {
      ((reach.edges[i] = static_cast<uint64_t>(
            Values::template ValueOf<table, kTransmit.edges[i]>(event_context))),
       ...);
    }
    (std::make_index_sequence<kTransmit.edge_count>{});
    event_context.SendAll(
        kTransmit, table, reach,
        [&event_context](const Piece& piece) {
          Frames::template Send<table, kTransmit.frame>(event_context, piece);
        },
        [&event_context] {
          if constexpr (kTransmit.final != kNone)
            Frames::template Send<table, kTransmit.final>(event_context, {});
        });
  }
};

}  // namespace tester::machine
