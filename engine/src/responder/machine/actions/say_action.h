// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Gives the table below a message. a: message, plus 1; b: event of the table below.
#pragma once

#include "responder/machine/row.h"

namespace tester::machine {

struct SayAction {
  template <typename Message>
  static constexpr auto kCase = Message::kSay;

  static Action Compile(const auto& message, const auto& scope) {
    const auto& say = message.say();
    if (scope.table == 0 || scope.compiled_table().message == kNone) {
      scope.RefuseIt("a message is said by a table over another that has a register for it");
    }
    const auto count = static_cast<size_t>(scope.in().messages_size());
    const auto& below = scope.compiler.out.tables[scope.table - 1];
    return {.a = static_cast<uint16_t>(
                scope.compiler.Index(scope.thing, "message", say.message(), count) + 1),
            .b = scope.compiler.Index(scope.thing, "event of the table below", say.event(),
                                      below.events)};
  }

  static void Do(const auto& step) {
    step.event_context().Say(step.table(), step.action().a, step.action().b);
  }
};

}  // namespace tester::machine
