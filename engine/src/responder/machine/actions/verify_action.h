// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Compares bytes of the payload with a content. a: expression, how many; b: expression, the place
// of the first in the content; c: content.
#pragma once

#include "responder/machine/event_context.h"
#include "responder/machine/limits.h"
#include "responder/machine/row.h"

namespace tester::machine {

struct VerifyAction {
  template <typename Message>
  static constexpr auto kCase = Message::kVerify;

  static Action Compile(const auto& message, const auto& scope) {
    const auto& verify = message.verify();
    auto& compiler = scope.compiler;
    compiler.Between("bytes of a content:", verify.content().size(), 1, kMaxFillBytes);
    const auto counter = [&scope](uint32_t index) {
      return scope.Thing("counter", index, scope.in().counters_size(), scope.begins().counters);
    };
    const uint16_t alike = verify.has_alike() ? scope.Variable(verify.alike()) : kNone;
    compiler.out.contents.push_back({.period = static_cast<uint32_t>(verify.content().size()),
                                     .octets = Repeated(verify.content()),
                                     .compared = counter(verify.compared()),
                                     .changed = counter(verify.changed()),
                                     .alike = alike});
    return {.a = scope.Exact(verify.most()),
            .b = scope.Exact(verify.start()),
            .c = static_cast<uint16_t>(compiler.out.contents.size() - 1)};
  }

  static void Do(const auto& step) {
    step.event_context().Verify(step.machine().contents[step.action().c], step.ValueOfA(),
                                step.ValueOfB());
  }
};

}  // namespace tester::machine
