// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// An event of a table, once the event in hand is done with. a: table; b: event.
#pragma once

#include "responder/machine/row.h"

namespace tester::machine {

struct TellAction {
  template <typename Message>
  static constexpr auto kCase = Message::kTell;

  static Action Compile(const auto& message, const auto& scope) {
    const auto& tell = message.tell();
    const auto& tables = scope.compiler.out.tables;
    const uint16_t table = scope.compiler.Index(scope.thing, "table", tell.table(), tables.size());
    return {.a = table,
            .b = scope.compiler.Index(scope.thing, "event", tell.event(), tables[table].events)};
  }

  static void Do(const auto& step) { step.event_context().Tell(step.action().a, step.action().b); }
};

}  // namespace tester::machine
