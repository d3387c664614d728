// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Counters of a responder since its start: written on the worker of its port, read by anybody.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "base/counter.h"
#include "stats/latency.h"

namespace tester {

// By their names in counters.proto, for X(name).
#define TESTER_RESPONDER_COUNTERS(X) \
  X(rx_packets)                      \
  X(rx_bytes)                        \
  X(tx_packets)                      \
  X(tx_bytes)                        \
  X(foreign)                         \
  X(malformed)                       \
  X(openings)                        \
  X(put_off)                         \
  X(flows_begun)                     \
  X(flows_ended)                     \
  X(flows_failed)                    \
  X(flows_stopped)                   \
  X(flows)                           \
  X(most_flows)                      \
  X(full)                            \
  X(endless)                         \
  X(too_long)                        \
  X(not_sent)

struct ResponderCounters {
  ResponderCounters(size_t counter_count, size_t histogram_count)
      : counters(counter_count), histograms(histogram_count) {}

  std::vector<Counter> counters;
  std::vector<Latency> histograms;  // of microseconds
  TESTER_RESPONDER_COUNTERS(TESTER_DECLARE_COUNTER)
  std::atomic<bool> opening{false};
};

}  // namespace tester
