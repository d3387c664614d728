// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Takes a number off the payload. a: register.
#pragma once

#include "responder/machine/event_context.h"
#include "responder/machine/row.h"

namespace tester::machine {

struct ReadAction {
  template <typename Message>
  static constexpr auto kCase = Message::kRead;

  static Action Compile(const auto& message, const auto& scope) {
    const uint16_t reg = scope.Variable(message.read());
    if (scope.compiler.out.registers[reg].bits % 8 != 0) {
      scope.RefuseIt("a register that is read into has whole bytes");
    }
    return {.a = reg};
  }

  static void Do(const auto& step) {
    const Context& context = step.event_context().context;
    if (context.packet == nullptr) return;
    const Register& reg = step.RegisterOfA();
    const Frame rest = context.packet->rest();
    const size_t octets = reg.bits / 8U;
    Uint128 value = 0;
    for (size_t i = 0; i < octets; ++i) value = value << 8 | (i < rest.size() ? rest[i] : 0U);
    context.packet->Take(static_cast<int64_t>(octets));
    reg.SetWide(context.state, value);
  }
};

}  // namespace tester::machine
