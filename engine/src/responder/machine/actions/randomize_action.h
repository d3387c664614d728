// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Random bits. a: register.
#pragma once

#include "responder/machine/row.h"

namespace tester::machine {

struct RandomizeAction {
  template <typename Message>
  static constexpr auto kCase = Message::kRandomize;

  static Action Compile(const auto& message, const auto& scope) {
    return {.a = scope.Variable(message.randomize())};
  }

  static void Do(const auto& step) { step.event_context().Randomize(step.RegisterOfA()); }
};

}  // namespace tester::machine
