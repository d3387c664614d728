// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Keeps the packet in hand as an example of a counter. a: counter.
#pragma once

#include "responder/machine/row.h"

namespace tester::machine {

struct ExampleAction {
  template <typename Message>
  static constexpr auto kCase = Message::kExample;

  static Action Compile(const auto& message, const auto& scope) {
    return {.a = scope.Thing("counter", message.example(), scope.in().counters_size(),
                             scope.begins().counters)};
  }

  static void Do(const auto& step) { step.event_context().KeepExample(step.action().a); }
};

}  // namespace tester::machine
