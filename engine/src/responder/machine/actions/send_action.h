// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Sends a template. a: template.
#pragma once

#include "responder/machine/row.h"

namespace tester::machine {

struct SendAction {
  template <typename Message>
  static constexpr auto kCase = Message::kSend;

  static Action Compile(const auto& message, const auto& scope) {
    return {.a = scope.Template(message.send())};
  }

  static void Do(const auto& step) { step.Send(); }
};

}  // namespace tester::machine
