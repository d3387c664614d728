// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// What a responder counts since its start: on the worker of its port, read by anybody.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "stats/counter.h"
#include "stats/latency.h"

namespace tester {

struct ResponderCounters {
  ResponderCounters(size_t counter_count, size_t histogram_count)
      : counters(counter_count), histograms(histogram_count) {}

  std::vector<Counter> counters;
  std::vector<Latency> histograms;  // of microseconds
  Counter rx_packets;
  Counter rx_bytes;
  Counter tx_packets;
  Counter tx_bytes;
  Counter foreign;
  Counter malformed;
  Counter openings;
  Counter put_off;
  Counter flows_begun;
  Counter flows_ended;
  Counter flows_failed;
  Counter flows;
  Counter most_flows;
  Counter full;
  Counter endless;
  Counter too_long;
  Counter not_sent;
  std::atomic<bool> opening{false};
};

}  // namespace tester
