// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Adds to a counter. a: counter; b: expression; c: bits.
#pragma once

#include "responder/machine/row.h"

namespace tester::machine {

struct CountAction {
  template <typename Message>
  static constexpr auto kCase = Message::kCount;

  static Action Compile(const auto& message, const auto& scope) {
    const auto& count = message.count();
    scope.compiler.Between("bits of a count:", count.bits(), 1, 64);
    Action compiled{.a = scope.Thing("counter", count.counter(), scope.in().counters_size(),
                                     scope.begins().counters),
                    .b = scope.Expression(count.expression()),
                    .c = static_cast<uint16_t>(count.bits())};
    compiled.load = scope.compiler.FieldLoadOf(compiled.b);
    compiled.load.mask &= NarrowMask(count.bits());
    return compiled;
  }

  static void Do(const auto& step) { step.Count(); }
};

}  // namespace tester::machine
