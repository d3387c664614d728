// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Bytes of the stream are missing before the payload. a: expression.
#pragma once

#include "responder/machine/row.h"

namespace tester::machine {

struct AheadAction {
  template <typename Message>
  static constexpr auto kCase = Message::kAhead;

  static Action Compile(const auto& message, const auto& scope) {
    return {.a = scope.Exact(message.ahead())};
  }

  static void Do(const auto& step) { step.event_context().SetAhead(step.ValueOfA()); }
};

}  // namespace tester::machine
