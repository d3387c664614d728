// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// One start of a job: the client that asked for it, and how its ports were polled since. It lives
// as long as a worker uses it, and no other start changes it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stats/counters.h"
#include "stats/poll_gaps.h"

namespace tester {

struct JobStart {
  // After a stream has sent its last frame, for so long frames may still arrive from the device
  // under test, and are stamped as precisely as while it was sending.
  static constexpr uint64_t kDrainNs = 2'000'000'000;

  // Whether a stream was sending or draining at this instant, or has been since.
  bool StreamsActiveAt(uint64_t instant_ns) const {
    return std::any_of(streams.begin(), streams.end(), [&](const auto& tx) {
      return tx->sending.load(std::memory_order_relaxed) ||
             (tx->packets.Get() != 0 && tx->last_ns.Get() + kDrainNs > instant_ns);
    });
  }

  uint64_t start_ns = 0;
  uint64_t duration_ns = 0;  // as asked for; 0: no such limit
  uint64_t packets = 0;      // of each stream, the same
  std::string by;
  std::vector<std::shared_ptr<const StreamTx>> streams;
  std::vector<std::unique_ptr<PollGaps>> ports;  // by index; null where the job has nothing to do
};

}  // namespace tester
