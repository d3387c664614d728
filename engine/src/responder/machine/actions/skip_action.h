// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Leaves out bytes of the payload. a: expression.
#pragma once

#include "responder/machine/row.h"

namespace tester::machine {

struct SkipAction {
  template <typename Message>
  static constexpr auto kCase = Message::kSkip;

  static Action Compile(const auto& message, const auto& scope) {
    return {.a = scope.Exact(message.skip())};
  }

  static void Do(const auto& step) { step.event_context().Skip(step.ValueOfA()); }
};

}  // namespace tester::machine
