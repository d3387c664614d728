// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Sends a message as far as windows allow. a: transmit.
#pragma once

#include "responder/machine/row.h"
#include "responder/machine/sending.h"

namespace tester::machine {

struct TransmitAction {
  template <typename Message>
  static constexpr auto kCase = Message::kTransmit;

  static constexpr uint32_t kMostFrames = 255;

  static Action Compile(const auto& message, const auto& scope) {
    auto& compiler = scope.compiler;
    const auto& transmit = message.transmit();
    compiler.Between("frames to transmit at most:", transmit.most(), 1, kMostFrames);
    compiler.AtMost("edges", static_cast<uint64_t>(transmit.edges_size()), kMaxEdges);
    Transmit compiled{.frame = scope.Template(transmit.template_()),
                      .position = scope.Variable(transmit.position()),
                      .end = scope.Exact(transmit.end()),
                      .size = scope.Exact(transmit.size()),
                      .most = static_cast<uint16_t>(transmit.most())};
    for (const uint32_t edge : transmit.edges())
      compiled.edges[compiled.edge_count++] = scope.Exact(edge);
    if (transmit.has_reached()) compiled.reached = scope.Variable(transmit.reached());
    if (transmit.has_final() != transmit.has_closing()) {
      scope.RefuseIt("final and closing go together");
    }
    if (transmit.has_final()) {
      compiled.final = scope.Template(transmit.final());
      compiled.closing = scope.Variable(transmit.closing());
    }
    compiler.out.transmits.push_back(compiled);
    return {.a = static_cast<uint16_t>(compiler.out.transmits.size() - 1)};
  }

  static void Do(const auto& step) { step.SendAll(); }
};

}  // namespace tester::machine
