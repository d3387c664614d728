// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Counters of ports, streams and workers. Each object has one writer, the worker that owns it, and
// is read by anybody at any time.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "generator/order.h"
#include "stats/arrival_order.h"
#include "stats/counter.h"
#include "stats/departure_errors.h"
#include "stats/flows.h"
#include "stats/icmp_errors.h"
#include "stats/latency.h"
#include "stats/misrouted.h"
#include "stats/outages.h"
#include "stats/variation.h"
#include "stats/versions.h"

namespace tester {

struct alignas(64) PortCounters {
  Counter tx_packets;
  Counter tx_bytes;
  Counter tx_refused;
  Counter rx_packets;
  Counter rx_bytes;
  Counter rx_foreign;
  Counter rx_misrouted;
  // Of those of rx_foreign.
  Counter rx_stale;
  Counter rx_malformed;
  Counter rx_fragments;
  IcmpErrors rx_icmp_errors;
  Counter neighbour_replies;
  Counter rx_pause;
  std::array<PortVersionCount, 2> tx_versions;
  std::array<PortVersionCount, 2> rx_versions;
};

// Of one start of a stream, on the worker that sends it.
struct alignas(64) StreamTx {
  // Frames that have left, with their bytes on the wire.
  void CountSent(uint64_t frames, uint64_t all_bytes, uint32_t version, uint64_t now_ns) {
    packets.Add(frames);
    bytes.Add(all_bytes);
    if (has_version) versions[version].Add(frames, all_bytes, now_ns - base_ns);
  }

  Counter intended;
  Counter packets;  // also the next sequence number
  Counter bytes;
  Counter first_ns;
  Counter last_ns;
  DepartureErrors departures;
  // Nothing has to be done for the stream before; long past when it is behind.
  Counter wake_ns;
  Counter leg;  // of its schedule: those before are sent
  std::atomic<bool> sending{false};
  // Of a stream with a version. Times are counted from the same base as those of arrivals.
  std::array<VersionCount, 2> versions;
  bool has_version = false;
  uint64_t base_ns = 0;
  // Looked up by receivers too.
  alignas(64) Flips flips;
};

// Of one start of a stream, on the worker that serves the port it is expected on.
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
  // What has arrived of it and is not what was sent.
  Counter corrupted;
  Counter wrong_length;
  Counter fragments;
  Counter version_rewritten;
  Counter before_sent;
  std::unique_ptr<Flows> flows;  // null without
  OrderPlace order_place;        // worker's own
  // Frames that arrive where they should not are counted by whichever worker meets them.
  alignas(64) Misrouted misrouted;
};

// Since the engine started; what is of one job is in JobStart.
struct alignas(64) WorkerCounters {
  Counter loops;
  Counter idle_loops;
  Counter idle_ns;
  Counter worst_gap_ns;
  Counter late_polls;
};

}  // namespace tester
