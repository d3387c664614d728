// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The rows of one table as code: what runner.cc reads in a machine is known here when it is
// compiled, so that a question is a comparison and an action a few instructions. What it does is
// the same functions (turn.h, narrow.h).
#pragma once

#include <cstdint>
#include <utility>

#include "responder/made.h"
#include "responder/narrow.h"
#include "responder/summed_writer.h"
#include "responder/turn.h"

namespace tester::machine {

template <const Shape& kShape>
class MadeRows {
 public:
  template <size_t table>
  static void Dispatch(Turn& turn, uint16_t event) {
    if (!turn.Enters()) return;
    static constexpr const Shape::Table& kOwn = kShape.tables[table];
    kCells<table>[StateOf<table>(turn) * kOwn.events + event](turn);
  }

 private:
  using Cell = void (*)(Turn& turn);

  struct Following {
    std::array<uint16_t, kMaxFollowing> events;
    uint32_t count = 0;
    void Add(uint16_t event) {
      if (event != kNone && count < events.size()) events[count++] = event;
    }
  };

  template <size_t table>
  static constexpr auto CellsOf() {
    return []<size_t... i>(std::index_sequence<i...>) {
      return std::array<Cell, sizeof...(i)>{Decide<table, kShape.tables[table].decisions[i]>...};
    }
    (std::make_index_sequence<kShape.tables[table].decisions.size()>{});
  }
  template <size_t table>
  static constexpr auto kCells = CellsOf<table>();

  template <size_t table>
  static uint64_t StateOf(const Turn& turn) {
    static constexpr uint16_t kState = kShape.tables[table].state;
    if constexpr (kState == kNone) {
      return 0;
    } else {
      static constexpr Register kOwn = kShape.registers[kState];
      return kOwn.Get(turn.context.state);
    }
  }

  template <typename Spotted>
  static uint64_t ValueAt(Spotted spotted, const Turn& turn) {
    static constexpr Spot kSpot = spotted();
    if constexpr (kSpot.base == kLine) {
      return turn.context.state.line[kSpot.byte / kLoadBytes] >> kSpot.shift & kSpot.mask;
    } else {
      return LoadFrom(turn.context.bases[kSpot.base], kSpot);
    }
  }

  template <size_t table, uint32_t index>
  static uint64_t TermOf(const Turn& turn) {
    static constexpr Term kOwn = kShape.terms[index];
    if constexpr (kOwn.spot.kind == Spot::Kind::kNone) {
      return RareOf(turn.machine.operands[kOwn.operand], turn.context, table);
    } else {
      return ValueAt([] { return kShape.terms[index].spot; }, turn);
    }
  }

  template <size_t table, uint16_t expression>
  static int64_t NarrowOf(const Turn& turn) {
    static constexpr Expression kOwn = kShape.expressions[expression];
    return [&turn]<uint32_t... i>(std::integer_sequence<uint32_t, i...>) {
      auto value = static_cast<int64_t>(TermOf<table, kOwn.first>(turn));
      ((value = Apply(kShape.terms[kOwn.first + 1 + i].op, value,
                      TermOf<table, kOwn.first + 1 + i>(turn))),
       ...);
      return value;
    }
    (std::make_integer_sequence<uint32_t, kOwn.terms - 1U>{});
  }

  template <size_t table, uint16_t expression>
  static int64_t ValueOf(const Turn& turn) {
    if constexpr (kShape.expressions[expression].wide) {
      return Clamped(turn.machine.expressions[expression], turn.context, table);
    } else {
      return NarrowOf<table, expression>(turn);
    }
  }

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
      Branch<table, index>(turn, ValueAt(kFirst, turn) & kOwn.mask,
                           ValueAt(kSecond, turn) & kOwn.mask);
    } else if constexpr (kOwn.kind == Kind::kValues) {
      const auto left = static_cast<uint64_t>(NarrowOf<table, kOwn.left>(turn));
      const auto right = static_cast<uint64_t>(NarrowOf<table, kOwn.right>(turn));
      Branch<table, index>(turn, left & kOwn.mask, right & kOwn.mask);
    } else if constexpr (kOwn.kind == Kind::kMask) {
      Answer<table, index>(turn, (ValueAt(kFirst, turn) & kOwn.mask) == kOwn.value);
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
      Send<table, kOwn.a>(turn, {});
    } else if constexpr (kKind == ActionKind::kTransmit) {
      SendAll<table, kOwn.a>(turn);
    } else if constexpr (kKind == ActionKind::kStartTimer) {
      turn.StartTimer(kOwn.a, kOwn.reg, ValueOf<table, kOwn.b>(turn));
    } else if constexpr (kKind == ActionKind::kStopTimer) {
      turn.StopTimers(uint64_t{1} << kOwn.a);
    } else if constexpr (kKind == ActionKind::kCount) {
      Count<table, index>(turn);
    } else if constexpr (kKind == ActionKind::kRecord) {
      turn.Record(kOwn.a, ValueOf<table, kOwn.b>(turn));
    } else if constexpr (kKind == ActionKind::kCall) {
      Call<table, index>(turn);
    } else if constexpr (kKind == ActionKind::kTell) {
      turn.Tell(kOwn.a, kOwn.b);
    } else if constexpr (kKind == ActionKind::kStep) {
      following.Add(kOwn.a);
    } else if constexpr (kKind == ActionKind::kSkip) {
      turn.Skip(ValueOf<table, kOwn.a>(turn));
    } else if constexpr (kKind == ActionKind::kLengthen) {
      turn.Lengthen(ValueOf<table, kOwn.a>(turn));
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
      turn.Change(kOwn.kind, kOwn.reg, NarrowOf<table, kOwn.b>(turn));
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
      value = static_cast<uint64_t>(NarrowOf<table, kOwn.b>(turn));
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
    Reach reach{.end = static_cast<uint64_t>(ValueOf<table, kOwn.end>(turn)),
                .size = ValueOf<table, kOwn.size>(turn)};
    [&turn, &reach ]<size_t... i>(std::index_sequence<i...>) {
      ((reach.edges[i] = static_cast<uint64_t>(ValueOf<table, kOwn.edges[i]>(turn))), ...);
    }
    (std::make_index_sequence<kOwn.edge_count>{});
    turn.SendAll(
        kOwn, table, reach, [&turn](const Piece& piece) { Send<table, kOwn.frame>(turn, piece); },
        [&turn] {
          if constexpr (kOwn.final != kNone) Send<table, kOwn.final>(turn, {});
        });
  }

  template <size_t table, uint16_t index>
  static void Send(Turn& turn, const Piece& piece) {
    static constexpr Shape::Template kOwn = kShape.templates[index];
    const FrameTemplate& frame = turn.machine.templates[index];
    if constexpr (kOwn.summed) {
      const LaidTemplate& laid = frame.laid[OptionsOf<index>(turn)];
      turn.SendWritten([&](uint8_t* to) -> size_t {
        if (laid.octets.size() + piece.bytes > turn.most_bytes) return 0;
        return WriteSummed(laid, kOwn.ip, kOwn.tcp, turn.context, piece, to, [&](Sums& sums) {
          SetWords<table, index>(turn, to, sums);
          SetOptions<table, index>(turn, laid, to, sums);
        });
      });
    } else {
      turn.Send(frame, table, piece);
    }
  }

  // A bit for each option that is there.
  template <uint16_t index>
  static size_t OptionsOf(const Turn& turn) {
    static constexpr Shape::Template kOwn = kShape.templates[index];
    return [&turn]<size_t... i>(std::index_sequence<i...>) {
      return (size_t{0} | ... | (size_t{IsThere<kOwn.options[i].only_if>(turn)} << i));
    }
    (std::make_index_sequence<kOwn.options.size()>{});
  }

  template <uint16_t only_if>
  static bool IsThere(const Turn& turn) {
    if constexpr (only_if == kNone) {
      return true;
    } else {
      static constexpr Register kOwn = kShape.registers[only_if];
      return kOwn.GetWide(turn.context.state) != 0;
    }
  }

  template <size_t table, uint16_t index>
  static void SetWords(const Turn& turn, uint8_t* to, Sums& sums) {
    static constexpr Shape::Template kOwn = kShape.templates[index];
    const uint8_t* const key = turn.context.identity->key.data();
    for (const Shape::Template::KeyWord& word : kOwn.flow) {
      (word.address ? sums.addresses : sums.tcp) +=
          SetKeyWord(to + word.at, word.bits, key + word.key_offset);
    }
    [&turn, to, &sums ]<size_t... i>(std::index_sequence<i...>) {
      ((sums.tcp += SetWord(to + kOwn.tcp + kOwn.edits[i].place.first(), kOwn.edits[i].place.bits,
                            static_cast<uint64_t>(ValueOf<table, kOwn.edits[i].expression>(turn)))),
       ...);
    }
    (std::make_index_sequence<kOwn.edits.size()>{});
  }

  template <size_t table, uint16_t index>
  static void SetOptions(const Turn& turn, const LaidTemplate& laid, uint8_t* to, Sums& sums) {
    [&]<size_t... i>(std::index_sequence<i...>) {
      (SetOne<table, index, i>(turn, laid, to, sums), ...);
    }
    (std::make_index_sequence<kShape.templates[index].options.size()>{});
  }

  template <size_t table, uint16_t index, size_t option>
  static void SetOne(const Turn& turn, const LaidTemplate& laid, uint8_t* to, Sums& sums) {
    static constexpr Option kOwn = kShape.templates[index].options[option];
    if (laid.options[option] == kNone) return;
    uint64_t first = 0;
    uint64_t second = 0;
    if constexpr (kOwn.kind != OptionKind::kSackPermitted) {
      first = static_cast<uint64_t>(ValueOf<table, kOwn.values[0]>(turn));
    }
    if constexpr (kOwn.kind == OptionKind::kTimestamp || kOwn.kind == OptionKind::kSack) {
      second = static_cast<uint64_t>(ValueOf<table, kOwn.values[1]>(turn));
    }
    sums.tcp += SetOption(kOwn.kind, first, second, to + laid.options[option]);
  }
};

}  // namespace tester::machine
