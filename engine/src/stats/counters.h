// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Counters of queues of ports, of streams and workers. Each object has one writer, the worker that
// owns it; any thread may read it at any time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/counter.h"
#include "base/order.h"
#include "stats/arrival_order.h"
#include "stats/crowds.h"
#include "stats/departure_errors.h"
#include "stats/flows.h"
#include "stats/icmp_errors.h"
#include "stats/latency.h"
#include "stats/misrouted.h"
#include "stats/outages.h"
#include "stats/variation.h"
#include "stats/versions.h"

namespace tester {

// Lists of the plain counters, by their names in counters.proto, for X(name). A new counter needs a
// field there, a line here, and code that counts.
#define TESTER_PORT_TX_COUNTERS(X) \
  X(tx_packets)                    \
  X(tx_bytes)                      \
  X(tx_refused)

#define TESTER_PORT_RX_COUNTERS(X) \
  X(rx_packets)                    \
  X(rx_bytes)                      \
  X(rx_foreign)                    \
  X(rx_misrouted)                  \
  X(rx_stale)                      \
  X(rx_malformed)                  \
  X(rx_fragments)                  \
  X(rx_up_to_64)                   \
  X(rx_65_to_127)                  \
  X(rx_128_to_255)                 \
  X(rx_256_to_511)                 \
  X(rx_512_to_1023)                \
  X(rx_1024_to_1518)               \
  X(rx_over_1518)                  \
  X(neighbour_replies)

// There they have the prefix rx_.
#define TESTER_STREAM_RX_COUNTERS(X) \
  X(corrupted)                       \
  X(wrong_length)                    \
  X(fragments)                       \
  X(wrong_headers)                   \
  X(version_rewritten)               \
  X(before_sent)

#define TESTER_WORKER_COUNTERS(X) \
  X(loops)                        \
  X(idle_loops)                   \
  X(idle_ns)                      \
  X(worst_gap_ns)                 \
  X(late_polls)

// Of one queue of a port.
struct alignas(64) PortCounters {
  // Counts a frame received in the class of its bytes on the wire.
  void CountSize(uint64_t bytes) {
    static constexpr std::array kClasses = {
        &PortCounters::rx_up_to_64,   &PortCounters::rx_65_to_127,   &PortCounters::rx_128_to_255,
        &PortCounters::rx_256_to_511, &PortCounters::rx_512_to_1023, &PortCounters::rx_1024_to_1518,
        &PortCounters::rx_over_1518};
    static constexpr std::array<uint64_t, kClasses.size() - 1> kMost = {64,  127,  255,
                                                                        511, 1023, 1518};
    size_t index = 0;
    for (const uint64_t most : kMost) index += bytes > most ? 1 : 0;
    (this->*kClasses[index]).Add(1);
  }

  // Counts frames that the driver took, with their bytes on the wire, and frames that it refused.
  void CountSent(uint64_t frames, uint64_t bytes, uint64_t refused) {
    tx_packets.Add(frames);
    tx_bytes.Add(bytes);
    tx_refused.Add(refused);
  }

  // Adds the counts of another queue, to a sum that no worker writes.
  void Merge(const PortCounters& queue) {
#define TESTER_MERGE(name) name.Add(queue.name.Get());
    TESTER_PORT_TX_COUNTERS(TESTER_MERGE)
    TESTER_PORT_RX_COUNTERS(TESTER_MERGE)
#undef TESTER_MERGE
    rx_icmp_errors.Merge(queue.rx_icmp_errors);
    rx_pause.Add(queue.rx_pause.Get());
    for (size_t i = 0; i < tx_versions.size(); ++i) tx_versions[i].Merge(queue.tx_versions[i]);
    for (size_t i = 0; i < rx_versions.size(); ++i) rx_versions[i].Merge(queue.rx_versions[i]);
  }

  TESTER_PORT_TX_COUNTERS(TESTER_DECLARE_COUNTER)
  TESTER_PORT_RX_COUNTERS(TESTER_DECLARE_COUNTER)
  IcmpErrors rx_icmp_errors;
  Counter rx_pause;
  std::array<PortVersionCount, 2> tx_versions;
  std::array<PortVersionCount, 2> rx_versions;
};

// Counters of one start of a stream, written by the worker that sends it.
struct alignas(64) StreamTx {
  // Frames that have left, with their bytes on the wire.
  void CountSent(uint64_t frames, uint64_t all_bytes, uint32_t version, uint64_t now_ns) {
    packets.Add(frames);
    bytes.Add(all_bytes);
    if (has_version) versions[version].Add(frames, all_bytes, now_ns - base_ns);
  }

  Counter intended;
  Counter given_up;  // of these; see Pacer
  Counter packets;   // also the next sequence number
  Counter bytes;
  Counter first_ns;
  Counter last_ns;
  DepartureErrors departures;
  // The stream needs no service before; long past when it is behind.
  Counter wake_ns;
  Counter segment;  // of its schedule: those before are sent
  std::atomic<bool> sending{false};
  // Only for a stream with a version. Times count from the base of arrivals.
  std::array<VersionCount, 2> versions;
  bool has_version = false;
  uint64_t base_ns = 0;
  // Receivers read these too.
  alignas(64) Flips flips;
  Crowds crowds;
};

// Counters of one start of a stream, written by one of the workers that may receive it. Those of
// all workers are merged when they are read (snapshot/merge.h).
struct alignas(64) StreamRx {
  Counter packets;
  Counter bytes;
  Counter first_ns;
  Counter last_ns;
  Latency latency;
  Variation variation;
  ArrivalOrder order;
  std::array<VersionCount, 2> versions;
  Outages outages;
  LostCrowded lost_crowded;
  // Frames of the stream that arrived changed.
  TESTER_STREAM_RX_COUNTERS(TESTER_DECLARE_COUNTER)
  Counter header_faults;         // wire::HeaderFaults of those with wrong headers
  std::unique_ptr<Flows> flows;  // null without
  OrderPlace order_place;        // used by the worker only
  Misrouted misrouted;
};

// Counters since the engine started. JobStart has those of one job.
struct alignas(64) WorkerCounters {
  TESTER_WORKER_COUNTERS(TESTER_DECLARE_COUNTER)
};

}  // namespace tester
