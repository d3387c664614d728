// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// An event of the table that follows. a: event.
#pragma once

#include "responder/machine/row.h"

namespace tester::machine {

struct StepAction {
  template <typename Message>
  static constexpr auto kCase = Message::kStep;
  static constexpr uint32_t kFollowing = 1;

  static Action Compile(const auto& message, const auto& scope) {
    return {.a = scope.Event(message.step())};
  }

  static void Do(const auto& step) { step.Follow(step.action().a); }
};

}  // namespace tester::machine
