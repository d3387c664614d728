// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Takes as many bytes off the payload as a variable says. a: register.
#pragma once

#include "responder/machine/row.h"

namespace tester::machine {

struct TakeAction {
  template <typename Message>
  static constexpr auto kCase = Message::kTake;

  static Action Compile(const auto& message, const auto& scope) {
    return {.a = scope.Variable(message.take())};
  }

  static void Do(const auto& step) { step.event_context().Take(step.RegisterOfA()); }
};

}  // namespace tester::machine
