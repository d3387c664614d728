// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Captures beside the measured path: what a worker does for them while there are any.
#pragma once

#include <rte_mbuf.h>

#include <cstdint>
#include <vector>

#include "capture/tap.h"
#include "worker/clock.h"

namespace tester {

struct PortProgram;
class Classifier;

// The taps of one port. Immutable once in use.
struct PortTaps {
  const Clock* clock;
  std::vector<Tap> transmitted{};
  std::vector<Tap> received{};
};

// A burst that taps look at before it is known how much of it goes through the port.
class TapBurst {
 public:
  TapBurst(const std::vector<Tap>& taps, uint64_t now_ns) : taps_(taps), now_ns_(now_ns) {
    for (const Tap& tap : taps_) tap.lane->Begin();
  }

  // At most kBurst frames. Of no stream where none is given.
  void See(const rte_mbuf* mbuf, uint16_t stream = 0,
           uint64_t sequence = CapturedFacts::kNoSequence) const;
  // The first `count` frames have gone through the port.
  void Publish(uint16_t count) const {
    for (const Tap& tap : taps_) tap.lane->Publish(tap.port, count);
  }

 private:
  const std::vector<Tap>& taps_;
  uint64_t now_ns_;
};

// Frames that have arrived, known as the classifier and the port's matcher know them.
void TapReceived(const PortProgram& port, const Classifier& classifier, rte_mbuf* const* mbufs,
                 uint16_t count, uint64_t now_ns);

}  // namespace tester
