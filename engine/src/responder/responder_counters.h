// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Counters of a responder since its start: the worker of its port writes, any thread reads.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "base/counter.h"
#include "stats/latency.h"
#include "wire/bytes.h"

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

// The first unexpected byte of a payload.
struct ChangedByte {
  uint64_t place = 0;  // in the content
  uint8_t arrived = 0;
  uint8_t expected = 0;
};

// The first packet of a kind, and what is told of it. Written once; any thread reads.
template <typename Detail>
class FirstPacket {
 public:
  // `headers`: of the frame.
  void Keep(Frame headers, const Detail& detail) {
    if (kept()) return;
    header_bytes_ = std::min(headers.size(), headers_.size());
    std::copy_n(headers.begin(), header_bytes_, headers_.begin());
    detail_ = detail;
    kept_.store(true, std::memory_order_release);
  }
  // The others may be read once this is true.
  bool kept() const { return kept_.load(std::memory_order_acquire); }
  Frame headers() const { return {headers_.data(), header_bytes_}; }
  const Detail& detail() const { return detail_; }

 private:
  std::array<uint8_t, 192> headers_{};
  size_t header_bytes_ = 0;
  Detail detail_{};
  std::atomic<bool> kept_{false};
};

struct ResponderCounters {
  ResponderCounters(size_t counter_count, size_t histogram_count)
      : counters(counter_count), histograms(histogram_count) {}

  std::vector<Counter> counters;
  std::vector<Latency> histograms;  // of microseconds
  TESTER_RESPONDER_COUNTERS(TESTER_DECLARE_COUNTER)
  std::atomic<bool> opening{false};
  FirstPacket<ChangedByte> first_change;
  FirstPacket<uint16_t> example;  // of a counter
};

}  // namespace tester
