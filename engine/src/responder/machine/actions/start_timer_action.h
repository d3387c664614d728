// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Starts or restarts a timer. a: timer; b: expression.
#pragma once

#include "responder/machine/machine.h"

namespace tester::machine {

struct StartTimerAction {
  template <typename Message>
  static constexpr auto kCase = Message::kStartTimer;

  static Action Compile(const auto& message, const auto& scope) {
    const auto& start = message.start_timer();
    Action compiled{
        .a = scope.Thing("timer", start.timer(), scope.in().timers_size(), scope.begins().timers),
        .b = scope.Exact(start.expression())};
    const Machine& out = scope.compiler.out;
    compiled.reg = out.registers[out.timers[compiled.a].reg];
    return compiled;
  }

  static void Do(const auto& step) {
    step.event_context().StartTimer(step.action().a, step.action().reg, step.ValueOfB());
  }
};

}  // namespace tester::machine
