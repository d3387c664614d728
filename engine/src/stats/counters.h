// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Counters of ports, streams and workers. Each object has one writer, the worker that owns it, and
// is read by anybody at any time; what several workers counted is added up on reading (merge.h).
#pragma once

#include <atomic>
#include <cstdint>

#include "stats/counter.h"
#include "stats/latency.h"

namespace tester {

struct alignas(64) PortCounters {
  Counter tx_packets;
  Counter tx_bytes;
  Counter tx_refused;
  Counter rx_packets;
  Counter rx_bytes;
  Counter rx_foreign;
  Counter neighbour_replies;
};

// Of one start of a stream, on the worker that sends it.
struct alignas(64) StreamTx {
  Counter intended;
  Counter packets;  // also the next sequence number
  Counter bytes;
  Counter first_ns;
  Counter last_ns;
  Counter worst_lateness_ns;
  std::atomic<bool> sending{false};
  // Worker's own: nothing has to be done for the stream before.
  uint64_t next_event_ns = 0;
};

// Of one start of a stream, on one of the workers that may receive it.
struct alignas(64) StreamRx {
  Counter packets;
  Counter bytes;
  Counter first_ns;
  Counter last_ns;
  Counter misrouted;
  Counter out_of_order;
  Latency latency;
  // Worker's own: one more than the highest sequence number seen.
  uint64_t next_sequence = 0;
};

// Since the last start of any job.
struct alignas(64) WorkerCounters {
  Counter loops;
  Counter idle_loops;
  Counter worst_gap_ns;
};

}  // namespace tester
