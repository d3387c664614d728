// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Raises an event of the table above, at once. a: event, kNone: no table; detail: with data.
#pragma once

#include "responder/machine/row.h"

namespace tester::machine {

struct CallAction {
  template <typename Message>
  static constexpr auto kCase = Message::kCall;

  static Action Compile(const auto& message, const auto& scope) {
    const auto& call = message.call();
    Action compiled{.detail = call.data() ? uint8_t{1} : uint8_t{0}, .a = kNone};
    if (!call.has_event()) return compiled;
    const auto& tables = scope.compiler.out.tables;
    const size_t above = scope.table + 1;
    compiled.a = scope.compiler.Index(scope.thing, "event of the table above", call.event(),
                                      above < tables.size() ? tables[above].events : 0U);
    return compiled;
  }

  static void Do(const auto& step) { step.Call(); }
};

}  // namespace tester::machine
