// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Bytes that came before belong behind the payload. a: expression.
#pragma once

#include "responder/machine/row.h"

namespace tester::machine {

struct LengthenAction {
  template <typename Message>
  static constexpr auto kCase = Message::kLengthen;

  static Action Compile(const auto& message, const auto& scope) {
    return {.a = scope.Exact(message.lengthen())};
  }

  static void Do(const auto& step) { step.event_context().Lengthen(step.ValueOfA()); }
};

}  // namespace tester::machine
