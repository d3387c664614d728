// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Sends the packet in hand back. a: reply.
#pragma once

#include <utility>

#include "responder/machine/row.h"
#include "responder/machine/sending.h"

namespace tester::machine {

struct ReplyAction {
  template <typename Message>
  static constexpr auto kCase = Message::kReply;

  static constexpr size_t kMaxAppend = 1024;

  static Action Compile(const auto& message, const auto& scope) {
    auto& compiler = scope.compiler;
    const auto& reply = message.reply();
    Reply compiled;
    for (const auto& edit : reply.edits()) {
      compiled.edits.push_back(
          compiler.EditOf(compiler.FieldPlaceOf(scope.thing, edit.field(), compiler.HeaderSizes()),
                          scope.Expression(edit.expression())));
    }
    if (reply.has_keep()) compiled.keep = scope.Exact(reply.keep());
    compiler.AtMost("bytes to append", reply.append().size(), kMaxAppend);
    compiled.append.assign(reply.append().begin(), reply.append().end());
    compiler.out.replies.push_back(std::move(compiled));
    return {.a = static_cast<uint16_t>(compiler.out.replies.size() - 1)};
  }

  static void Do(const auto& step) {
    step.event_context().SendReply(step.machine().replies[step.action().a], step.table());
  }
};

}  // namespace tester::machine
