// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Adds a time to a histogram. a: histogram; b: expression.
#pragma once

#include "responder/machine/row.h"

namespace tester::machine {

struct RecordAction {
  template <typename Message>
  static constexpr auto kCase = Message::kRecord;

  static Action Compile(const auto& message, const auto& scope) {
    const auto& record = message.record();
    return {.a = scope.Thing("histogram", record.histogram(), scope.in().histograms_size(),
                             scope.begins().histograms),
            .b = scope.Exact(record.expression())};
  }

  static void Do(const auto& step) {
    step.event_context().Record(step.action().a, step.ValueOfB());
  }
};

}  // namespace tester::machine
