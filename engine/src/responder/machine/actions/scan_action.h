// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Runs a scanner. a: scanner.
#pragma once

#include "responder/machine/row.h"

namespace tester::machine {

struct ScanAction {
  template <typename Message>
  static constexpr auto kCase = Message::kScan;
  static constexpr uint32_t kFollowing = 1;

  static Action Compile(const auto& message, const auto& scope) {
    return {.a = scope.Thing("scanner", message.scan(), scope.in().scanners_size(),
                             scope.begins().scanners)};
  }

  static void Do(const auto& step) {
    step.Follow(step.event_context().Scan(step.machine().scanners[step.action().a]));
  }
};

}  // namespace tester::machine
