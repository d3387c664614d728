// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Changes a variable. a: register; b: expression; c: VariableChange; detail: both are narrow.
#pragma once

#include "responder/machine/machine.h"

namespace tester::machine {

struct AssignAction {
  template <typename Message>
  static constexpr auto kCase = Message::kAssign;

  static Action Compile(const auto& message, const auto& scope) {
    using Change = VariableChange;
    const auto& assign = message.assign();
    const uint16_t change = scope.compiler.Index(
        scope.thing, "change", static_cast<uint32_t>(assign.change()), kVariableChanges);
    const bool exact = change == static_cast<uint16_t>(Change::kLimit) ||
                       change == static_cast<uint16_t>(Change::kRaise);
    const Machine& out = scope.compiler.out;
    Action compiled{
        .a = scope.Variable(assign.register_()),
        .b = exact ? scope.Exact(assign.expression()) : scope.Expression(assign.expression()),
        .c = change};
    compiled.reg = out.registers[compiled.a];
    // One of more bits is changed as a wide number.
    if (out.expressions[compiled.b].wide || compiled.reg.bits > kNarrowBits) return compiled;
    compiled.detail = 1;
    compiled.load = scope.compiler.FieldLoadOf(compiled.b);
    return compiled;
  }

  static void Do(const auto& step) { step.Assign(); }
};

}  // namespace tester::machine
