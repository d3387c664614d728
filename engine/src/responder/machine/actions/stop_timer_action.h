// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Stops a timer. a: timer.
#pragma once

#include "responder/machine/row.h"

namespace tester::machine {

struct StopTimerAction {
  template <typename Message>
  static constexpr auto kCase = Message::kStopTimer;

  static Action Compile(const auto& message, const auto& scope) {
    return {.a = scope.Thing("timer", message.stop_timer(), scope.in().timers_size(),
                             scope.begins().timers)};
  }

  static void Do(const auto& step) {
    step.event_context().StopTimers(uint64_t{1} << step.action().a);
  }
};

}  // namespace tester::machine
