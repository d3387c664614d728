// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "stats/merge_responder.h"

#include "stats/merge.h"

namespace tester {
namespace {

void FillDurations(const Latency& times, v1::Durations& out) {
  if (times.min() > times.max()) return;  // there is none
  out.set_count(FillBuckets(times.histogram(), times.min(), times.max(), *out.mutable_buckets()));
  out.set_sum_us(times.sum());
  out.set_min_us(times.min());
  out.set_max_us(times.max());
}

}  // namespace

void FillResponder(const ResponderCounters& counters, v1::ResponderCounters& out) {
  for (const Counter& counter : counters.counters) out.add_counters(counter.Get());
  for (const Latency& times : counters.histograms) FillDurations(times, *out.add_histograms());
  out.set_opening(counters.opening.load(std::memory_order_relaxed));
  out.set_rx_packets(counters.rx_packets.Get());
  out.set_rx_bytes(counters.rx_bytes.Get());
  out.set_tx_packets(counters.tx_packets.Get());
  out.set_tx_bytes(counters.tx_bytes.Get());
  out.set_foreign(counters.foreign.Get());
  out.set_malformed(counters.malformed.Get());
  out.set_openings(counters.openings.Get());
  out.set_put_off(counters.put_off.Get());
  out.set_flows_begun(counters.flows_begun.Get());
  out.set_flows_ended(counters.flows_ended.Get());
  out.set_flows_failed(counters.flows_failed.Get());
  out.set_flows(counters.flows.Get());
  out.set_most_flows(counters.most_flows.Get());
  out.set_full(counters.full.Get());
  out.set_endless(counters.endless.Get());
  out.set_too_long(counters.too_long.Get());
  out.set_not_sent(counters.not_sent.Get());
}

}  // namespace tester
