// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Reads a domain name. a: register; b: expression, where it begins in the message; 0: the payload.
#pragma once

#include "responder/machine/row.h"

namespace tester::machine {

struct ReadNameAction {
  template <typename Message>
  static constexpr auto kCase = Message::kReadName;

  static Action Compile(const auto& message, const auto& scope) {
    const auto& name = message.read_name();
    const uint16_t reg = scope.Variable(name.register_());
    if (scope.compiler.out.registers[reg].bits != 64) {
      scope.RefuseIt("a register that a name is read into has 64 bits");
    }
    return {.a = reg, .b = scope.Exact(name.at())};
  }

  static void Do(const auto& step) {
    step.event_context().ReadName(step.RegisterOfA(), step.ValueOfB());
  }
};

}  // namespace tester::machine
