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

  // Whether a stream was sending or draining at this instant, or has been since. One that another
  // tester sends is active from its start on, and while its frames arrive.
  bool StreamsActiveAt(uint64_t instant_ns) const {
    const auto is_recent = [&](uint64_t time_ns) { return time_ns + kDrainNs > instant_ns; };
    if (!arriving.empty() && is_recent(start_ns)) return true;
    if (std::any_of(arriving.begin(), arriving.end(),
                    [&](const auto& rx) { return is_recent(rx->last_ns.Get()); })) {
      return true;
    }
    return std::any_of(streams.begin(), streams.end(), [&](const auto& tx) {
      return tx->sending.load(std::memory_order_relaxed) ||
             (tx->packets.Get() != 0 && is_recent(tx->last_ns.Get()));
    });
  }

  uint64_t start_ns = 0;
  uint64_t duration_ns = 0;  // as asked for; 0: no such limit
  uint64_t packets = 0;      // of each stream, the same
  std::string by;
  std::vector<std::shared_ptr<const StreamTx>> streams;
  std::vector<std::shared_ptr<const StreamRx>> arriving;  // of streams that other testers send
  // By port and queue; none of a port where the job has nothing to do.
  std::vector<std::vector<std::unique_ptr<PollGaps>>> ports;
};

}  // namespace tester
