// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Values that rows read, as code (compiled_rows.h).
#pragma once

#include <cstdint>
#include <utility>

#include "responder/machine/compiled_table.h"
#include "responder/machine/event_context.h"
#include "responder/machine/narrow.h"

namespace tester::machine {

template <const Shape& kShape>
class CompiledValues {
 public:
  template <size_t table>
  static uint64_t StateOf(const EventContext& event_context) {
    static constexpr uint16_t kState = kShape.tables[table].state;
    if constexpr (kState == kNone) {
      return 0;
    } else {
      static constexpr Register kRegister = kShape.registers[kState];
      return kRegister.Get(event_context.context.state);
    }
  }

  template <typename Loaded>
  static uint64_t ValueAt(Loaded loaded, const EventContext& event_context) {
    static constexpr FieldLoad kLoad = loaded();
    if constexpr (kLoad.base == kLine) {
      return event_context.context.state.line[kLoad.byte / kLoadBytes] >> kLoad.shift & kLoad.mask;
    } else {
      return LoadFrom(event_context.context.bases[kLoad.base], kLoad);
    }
  }

  template <size_t table, uint32_t index>
  static uint64_t TermOf(const EventContext& event_context) {
    static constexpr Term kTerm = kShape.terms[index];
    if constexpr (kTerm.load.kind == FieldLoad::Kind::kNone) {
      return RareOf(event_context.machine.operands[kTerm.operand], event_context.context, table);
    } else {
      return ValueAt([] { return kShape.terms[index].load; }, event_context);
    }
  }

  template <size_t table, uint16_t expression>
  static int64_t NarrowOf(const EventContext& event_context) {
    static constexpr Expression kExpression = kShape.expressions[expression];
    return [&event_context]<uint32_t... i>(std::integer_sequence<uint32_t, i...>) {
      auto value = static_cast<int64_t>(TermOf<table, kExpression.first>(event_context));
      ((value = Apply(kShape.terms[kExpression.first + 1 + i].op, value,
                      TermOf<table, kExpression.first + 1 + i>(event_context))),
       ...);
      return value;
    }
    (std::make_integer_sequence<uint32_t, kExpression.terms - 1U>{});
  }

  template <size_t table, uint16_t expression>
  static int64_t ValueOf(const EventContext& event_context) {
    if constexpr (kShape.expressions[expression].wide) {
      return Clamped(event_context.machine.expressions[expression], event_context.context, table);
    } else {
      return NarrowOf<table, expression>(event_context);
    }
  }
};

}  // namespace tester::machine
