// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The rows of one table as code: what runner.cc reads in a machine is known here when it is
// compiled, so that a question is a comparison and an action a few instructions. What it does is
// the same functions (turn.h, narrow.h).
#pragma once

#include <cstdint>
#include <utility>

#include "made/made_frames.h"
#include "made/made_values.h"
#include "responder/made.h"
#include "responder/narrow.h"
#include "responder/turn.h"

namespace tester::machine {

template <const Shape& kShape>
class MadeRows {
 public:
  template <size_t table>
  static void Dispatch(Turn& turn, uint16_t event) {
    if (!turn.Enters()) return;
    static constexpr const Shape::Table& kOwn = kShape.tables[table];
    kCells<table>[Values::template StateOf<table>(turn) * kOwn.events + event](turn);
  }

 private:
  using Cell = void (*)(Turn& turn);
  using Values = MadeValues<kShape>;
  using Frames = MadeFrames<kShape>;

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
  static void Decide(Turn& turn) {
    if constexpr (next == Decision::kNoRow) {
      return;
    } else if constexpr ((next & Decision::kRow) != 0) {
      Do<table, (next & ~Decision::kRow)>(turn);
    } else {
      Ask<table, next>(turn);
    }
  }

  template <size_t table, uint32_t index>
  static void Ask(Turn& turn) {
    using Kind = Decision::Kind;
    static constexpr Decision kOwn = kShape.decisions[index];
    static constexpr auto kFirst = [] { return kShape.decisions[index].first; };
    static constexpr auto kSecond = [] { return kShape.decisions[index].second; };
    if constexpr (kOwn.kind == Kind::kPair) {
      Branch<table, index>(turn, Values::ValueAt(kFirst, turn) & kOwn.mask,
                           Values::ValueAt(kSecond, turn) & kOwn.mask);
    } else if constexpr (kOwn.kind == Kind::kValues) {
      const auto left = static_cast<uint64_t>(Values::template NarrowOf<table, kOwn.left>(turn));
      const auto right = static_cast<uint64_t>(Values::template NarrowOf<table, kOwn.right>(turn));
      Branch<table, index>(turn, left & kOwn.mask, right & kOwn.mask);
    } else if constexpr (kOwn.kind == Kind::kMask) {
      Answer<table, index>(turn, (Values::ValueAt(kFirst, turn) & kOwn.mask) == kOwn.value);
    } else {
      static_assert(kOwn.kind == Kind::kTest);
      Answer<table, index>(turn, Holds(turn.machine.tests[kOwn.left], turn.context, table));
    }
  }

  template <size_t table, uint32_t index>
  static void Answer(Turn& turn, bool yes) {
    static constexpr Decision kOwn = kShape.decisions[index];
    if (yes) return Decide<table, kOwn.next[1]>(turn);
    Decide<table, kOwn.next[0]>(turn);
  }

  // No more is asked about two numbers than what the ways on differ in.
  template <size_t table, uint32_t index>
  static void Branch(Turn& turn, uint64_t left, uint64_t right) {
    static constexpr Decision kOwn = kShape.decisions[index];
    static constexpr auto kNext = kOwn.next;
    if (left == right) return Decide<table, kNext[kSame]>(turn);
    const auto unlike = [&turn, left, right]<Outcome kOther, Outcome kBefore> {
      if constexpr (kNext[kOther] != kNext[kBefore]) {
        const bool before = ((left - right) & kOwn.mask) > kOwn.mask >> 1;
        if (before) return Decide<table, kNext[kBefore]>(turn);
      }
      Decide<table, kNext[kOther]>(turn);
    };
    if constexpr (kNext[kHigher] != kNext[kLower] || kNext[kHigherBefore] != kNext[kLowerBefore]) {
      if (left < right) return unlike.template operator()<kLower, kLowerBefore>();
    }
    unlike.template operator()<kHigher, kHigherBefore>();
  }

  template <size_t table, uint32_t index>
  static void Do(Turn& turn) {
    static constexpr Row kOwn = kShape.rows[index];
    Following following;
    [&turn, &following ]<uint32_t... i>(std::integer_sequence<uint32_t, i...>) {
      (Act<table, kOwn.first_action + i>(turn, following), ...);
    }
    (std::make_integer_sequence<uint32_t, kOwn.actions>{});
    if constexpr (kOwn.to == 0) {
      turn.Reset(table);
    } else if constexpr (kOwn.to != kNone) {
      static constexpr Register kState = kShape.registers[kShape.tables[table].state];
      kState.Set(turn.context.state, kOwn.to);
    }
    for (uint32_t i = 0; i < following.count; ++i) Dispatch<table>(turn, following.events[i]);
  }

  template <size_t table, uint32_t index>
  static void Act(Turn& turn, Following& following) {
    static constexpr Action kOwn = kShape.actions[index];
    static constexpr ActionKind kKind = kOwn.kind;
    if constexpr (kKind <= ActionKind::kRaise) {
      Assign<table, index>(turn);
    } else if constexpr (kKind == ActionKind::kRandomize) {
      turn.Randomize(kShape.registers[kOwn.a]);
    } else if constexpr (kKind == ActionKind::kReply) {
      turn.SendReply(turn.machine.replies[kOwn.a], table);
    } else if constexpr (kKind == ActionKind::kSend) {
      Frames::template Send<table, kOwn.a>(turn, {});
    } else if constexpr (kKind == ActionKind::kTransmit) {
      SendAll<table, kOwn.a>(turn);
    } else if constexpr (kKind == ActionKind::kStartTimer) {
      turn.StartTimer(kOwn.a, kOwn.reg, Values::template ValueOf<table, kOwn.b>(turn));
    } else if constexpr (kKind == ActionKind::kStopTimer) {
      turn.StopTimers(uint64_t{1} << kOwn.a);
    } else if constexpr (kKind == ActionKind::kCount) {
      Count<table, index>(turn);
    } else if constexpr (kKind == ActionKind::kRecord) {
      turn.Record(kOwn.a, Values::template ValueOf<table, kOwn.b>(turn));
    } else if constexpr (kKind == ActionKind::kCall) {
      Call<table, index>(turn);
    } else if constexpr (kKind == ActionKind::kTell) {
      turn.Tell(kOwn.a, kOwn.b);
    } else if constexpr (kKind == ActionKind::kStep) {
      following.Add(kOwn.a);
    } else if constexpr (kKind == ActionKind::kSkip) {
      turn.Skip(Values::template ValueOf<table, kOwn.a>(turn));
    } else if constexpr (kKind == ActionKind::kLengthen) {
      turn.Lengthen(Values::template ValueOf<table, kOwn.a>(turn));
    } else if constexpr (kKind == ActionKind::kScan) {
      following.Add(turn.Scan(turn.machine.scanners[kOwn.a]));
    } else if constexpr (kKind == ActionKind::kTake) {
      turn.Take(kShape.registers[kOwn.a]);
    } else {
      static_assert(kKind == ActionKind::kSay);
      turn.Say(table, kOwn.a, kOwn.b);
    }
  }

  template <size_t table, uint32_t index>
  static void Assign(Turn& turn) {
    static constexpr Action kOwn = kShape.actions[index];
    if constexpr (kOwn.detail == 0) {
      const Expression& expression = turn.machine.expressions[kOwn.b];
      turn.ChangeWide(kOwn.kind, kOwn.reg, Value(expression, turn.context, table));
    } else {
      turn.Change(kOwn.kind, kOwn.reg, Values::template NarrowOf<table, kOwn.b>(turn));
    }
  }

  template <size_t table, uint32_t index>
  static void Count(Turn& turn) {
    static constexpr Action kOwn = kShape.actions[index];
    uint64_t value;
    if constexpr (kShape.expressions[kOwn.b].wide) {
      const Expression& expression = turn.machine.expressions[kOwn.b];
      value = static_cast<uint64_t>(Value(expression, turn.context, table));
    } else {
      value = static_cast<uint64_t>(Values::template NarrowOf<table, kOwn.b>(turn));
    }
    turn.Count(kOwn.a, value & NarrowMask(kOwn.c));
  }

  template <size_t table, uint32_t index>
  static void Call(Turn& turn) {
    static constexpr Action kOwn = kShape.actions[index];
    if constexpr (kOwn.a == kNone) {
      turn.CallNobody(kOwn.detail != 0);
    } else {
      turn.Call(kOwn.detail != 0, [&turn] { Dispatch<table + 1>(turn, kOwn.a); });
    }
  }

  template <size_t table, uint16_t index>
  static void SendAll(Turn& turn) {
    static constexpr Transmit kOwn = kShape.transmits[index];
    Reach reach{.end = static_cast<uint64_t>(Values::template ValueOf<table, kOwn.end>(turn)),
                .size = Values::template ValueOf<table, kOwn.size>(turn)};
    [&turn, &reach ]<size_t... i>(std::index_sequence<i...>) {
      ((reach.edges[i] =
            static_cast<uint64_t>(Values::template ValueOf<table, kOwn.edges[i]>(turn))),
       ...);
    }
    (std::make_index_sequence<kOwn.edge_count>{});
    turn.SendAll(
        kOwn, table, reach,
        [&turn](const Piece& piece) { Frames::template Send<table, kOwn.frame>(turn, piece); },
        [&turn] {
          if constexpr (kOwn.final != kNone) Frames::template Send<table, kOwn.final>(turn, {});
        });
  }
};

}  // namespace tester::machine
