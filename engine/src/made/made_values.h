// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Values that rows read, as code (made_rows.h).
#pragma once

#include <cstdint>
#include <utility>

#include "responder/made.h"
#include "responder/narrow.h"
#include "responder/turn.h"

namespace tester::machine {

template <const Shape& kShape>
class MadeValues {
 public:
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
};

}  // namespace tester::machine
