// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "snapshot/merge.h"

#include <string>

#include "base/int128.h"
#include "wire/header_fault.h"

namespace tester {
namespace {

void FillDepartures(const DepartureErrors& departures, v1::DepartureCounters& out) {
  const uint64_t max = departures.max();
  out.set_count(FillBuckets(departures.histogram(), 0, max, *out.mutable_buckets()));
  out.set_sum_ns(departures.sum());
  out.set_max_ns(max);
}

void FillLatency(const StreamRx& rx, bool buckets, v1::LatencyCounters& out) {
  const Latency& latency = rx.latency;
  const uint64_t min = latency.min();
  const uint64_t max = latency.max();
  if (min > max) return;  // no value
  // Either all frames of a stream have a timestamp or none has.
  out.set_count(buckets ? FillBuckets(latency.histogram(), min, max, *out.mutable_buckets())
                        : rx.packets.Get());
  out.set_sum_ns(latency.sum());
  out.set_min_ns(min);
  out.set_max_ns(max);
}

void FillWide(const WideCounter& counter, v1::Uint128& out) {
  const WideCounter::Value value = counter.Get();
  out.set_high(value.high);
  out.set_low(value.low);
}

void FillVersionSent(const VersionCount& tx, v1::VersionCounters& out) {
  out.set_tx_packets(tx.packets.Get());
  out.set_tx_bytes(tx.bytes.Get());
  FillWide(tx.time_ns, *out.mutable_tx_time_ns());
}

void FillVersionReceived(const VersionCount& rx, v1::VersionCounters& out) {
  out.set_rx_packets(rx.packets.Get());
  out.set_rx_bytes(rx.bytes.Get());
  FillWide(rx.time_ns, *out.mutable_rx_time_ns());
}

void FillOrder(const ArrivalOrder& order, bool buckets, v1::OrderCounters& out) {
  out.set_next_sequence(order.next());
  out.set_duplicated(order.duplicated());
  out.set_late(order.late());
  out.set_behind(order.overtaken() + order.late() + order.duplicated());
  out.set_extent_sum(order.extent_sum());
  out.set_extent_max(order.extent_max());
  if (buckets) FillBuckets(order.extents(), 0, order.extent_max(), *out.mutable_extents());
}

void FillOutages(const Outages& outages, v1::OutageCounters& out) {
  out.set_count(outages.count.Get());
  out.set_total_ns(outages.total_ns.Get());
  out.set_lost(outages.total_lost.Get());
  out.set_longest_ns(outages.longest_ns.Get());
  out.set_longest_start_ns(outages.longest_start_ns.Get());
  out.set_longest_lost(outages.longest_lost.Get());
  out.set_last_sequence(outages.last_sequence.Get());
}

// Without those behind the last arrival.
void FillLostCrowded(const LostCrowded& lost, v1::StreamCounters& out) {
  if (lost.forgotten.Get() > 0) return;
  const uint64_t overtaken = lost.overtaken.Get();
  out.set_rx_lost_crowded(lost.skipped.Get() - overtaken);
}

// Adds those behind the last arrival. Arrivals are filled in before.
void AddLastCrowded(const Crowds& crowds, v1::StreamCounters& out) {
  if (!out.has_rx_lost_crowded()) return;
  const auto last = crowds.CountOf(out.order().next_sequence(), out.tx_packets());
  if (last) {
    out.set_rx_lost_crowded(out.rx_lost_crowded() + *last);
  } else {
    out.clear_rx_lost_crowded();
  }
}

void FillVariation(const Variation& variation, v1::VariationCounters& out) {
  out.set_jitter_16_ns(variation.jitter_16.Get());
  const uint64_t count = variation.ipdv_count.Get();
  if (count == 0) return;
  out.set_ipdv_count(count);
  out.set_ipdv_sum_ns(variation.ipdv_sum_ns.Get());
  out.set_ipdv_min_ns(variation.ipdv_min());
  out.set_ipdv_max_ns(variation.ipdv_max());
}

}  // namespace

void FillStreamReceived(const StreamRx& rx, StreamParts parts, v1::StreamCounters& out) {
  // A worker counts order, frames and latencies, in this order. Latencies and order are read before
  // the frames, so that a frame that arrives now is not missing below the next sequence.
  FillLatency(rx, parts.buckets, *out.mutable_latency());
  FillOrder(rx.order, parts.buckets, *out.mutable_order());
  // Versions are counted after all other counters.
  for (size_t i = 0; parts.versions && i < rx.versions.size(); ++i) {
    FillVersionReceived(rx.versions[i], *out.add_versions());
  }
  out.set_first_rx_ns(rx.first_ns.Get());
  out.set_last_rx_ns(rx.last_ns.Get());
  out.set_rx_packets(rx.packets.Get());
  out.set_rx_bytes(rx.bytes.Get());
  out.set_rx_out_of_order(rx.order.overtaken() + rx.order.late());
#define TESTER_SET(name) out.set_rx_##name(rx.name.Get());
  TESTER_STREAM_RX_COUNTERS(TESTER_SET)
#undef TESTER_SET
  for (size_t i = 0; i < wire::kHeaderFaultNames.size(); ++i) {
    const auto fault = static_cast<wire::HeaderFault>(i);
    if ((rx.header_faults.Get() & wire::BitOf(fault)) == 0) continue;
    out.add_rx_wrong_header_parts(std::string(wire::kHeaderFaultNames[i]));
  }
  FillOutages(rx.outages, *out.mutable_outages());
  if (parts.signatures && parts.sent_here) FillLostCrowded(rx.lost_crowded, out);
  if (!parts.sent_here) out.clear_rx_version_rewritten();
  FillVariation(rx.variation, *out.mutable_variation());
}

uint64_t FillBuckets(const Histogram& histogram, uint64_t min, uint64_t max, Buckets& out) {
  uint64_t total = 0;
  for (uint32_t index = Histogram::Index(min); index <= Histogram::Index(max); ++index) {
    const uint64_t count = histogram.Count(index);
    if (count == 0) continue;
    auto& bucket = *out.Add();
    bucket.set_index(index);
    bucket.set_count(count);
    total += count;
  }
  return total;
}

void FillStreamSent(const StreamTx& tx, StreamParts parts, v1::StreamCounters& out) {
  out.set_sending(tx.sending.load(std::memory_order_acquire));
  out.set_intended_packets(tx.intended.Get());
  out.set_given_up_packets(tx.given_up.Get());
  out.set_tx_packets(tx.packets.Get());
  out.set_tx_bytes(tx.bytes.Get());
  out.set_first_tx_ns(tx.first_ns.Get());
  out.set_last_tx_ns(tx.last_ns.Get());
  out.set_worst_lateness_ns(tx.departures.worst_lateness());
  AddLastCrowded(tx.crowds, out);
  if (parts.buckets) FillDepartures(tx.departures, *out.mutable_departures());
  if (!parts.versions) return;
  out.set_open_version(tx.flips.Open());
  for (size_t i = 0; i < tx.versions.size(); ++i) {
    FillVersionSent(tx.versions[i], *out.mutable_versions(static_cast<int>(i)));
  }
}

void FillFields(const FieldWatch& fields, v1::StreamCounters& out) {
  using Example = FieldCounts::Example;
  for (size_t i = 0; i < fields.fields().expectations().size(); ++i) {
    const FieldCounts& counts = fields.counts(i);
    auto& field = *out.add_fields();
    field.set_name(fields.fields().expectations()[i].name);
    field.set_compared(counts.compared.Get());
    field.set_wrong(counts.wrong.Get());
    field.set_absent(counts.absent.Get());
    field.set_unknown(counts.unknown.Get());
    field.set_first_sequence(counts.first_sequence.Get());
    for (const Example& example : counts.examples) {
      const uint64_t frames = example.frames.Get();
      if (frames == 0) break;
      auto& named = *field.add_examples();
      named.set_frames(frames);
      if (example.arrived.Get() != Example::kUnknown) named.set_arrived(example.arrived.Get());
      if (example.sent.Get() != Example::kUnknown) named.set_sent(example.sent.Get());
    }
  }
}

void FillFlows(const Flows& flows, uint32_t first, uint32_t count, const Counter& sent,
               v1::FlowCounters& out) {
  out.set_first(first);
  for (uint32_t flow = first; flow < first + count; ++flow) {
    const Flows::Counts counts = flows.Read(flow);
    out.add_rx_packets(counts.packets);
    out.add_rx_bytes(counts.bytes);
    out.add_latency_sum_ns(counts.latency_sum_ns);
    out.add_latency_min_ns(counts.latency_min_ns);
    out.add_latency_max_ns(counts.latency_max_ns);
  }
  const uint64_t sent_now = sent.Get();
  for (uint32_t flow = first; flow < first + count; ++flow) {
    out.add_tx_packets(flows.Share(flow, sent_now));
  }
}

void FillGaps(const PollGaps& gaps, v1::PollGaps& out) {
  const uint64_t worst_ns = gaps.worst_ns.Get();
  out.set_worst_ns(worst_ns);
  out.set_late(gaps.late.Get());
  if (worst_ns > PollGaps::kLateNs) {
    FillBuckets(gaps.lengths, PollGaps::kLateNs, worst_ns, *out.mutable_buckets());
  }
}

void FillPortReceived(const PortCounters& port, v1::PortCounters& out) {
#define TESTER_SET(name) out.set_##name(port.name.Get());
  TESTER_PORT_RX_COUNTERS(TESTER_SET)
#undef TESTER_SET
  port.rx_icmp_errors.ForEach([&](const wire::IcmpError& error, uint64_t frames) {
    auto& counted = *out.add_rx_icmp_errors();
    counted.set_ip_version(error.ip_version);
    counted.set_type(error.type);
    counted.set_code(error.code);
    counted.set_frames(frames);
  });
  for (const PortVersionCount& version : port.rx_versions) {
    auto& counted = *out.add_versions();
    counted.set_rx_packets(version.packets.Get());
    counted.set_rx_bytes(version.bytes.Get());
  }
}

void FillPortSent(const PortCounters& port, v1::PortCounters& out) {
#define TESTER_SET(name) out.set_##name(port.name.Get());
  TESTER_PORT_TX_COUNTERS(TESTER_SET)
#undef TESTER_SET
  for (size_t i = 0; i < port.tx_versions.size(); ++i) {
    auto& counted = *out.mutable_versions(static_cast<int>(i));
    counted.set_tx_packets(port.tx_versions[i].packets.Get());
    counted.set_tx_bytes(port.tx_versions[i].bytes.Get());
  }
}

void FillWorker(const WorkerCounters& worker, v1::WorkerCounters& out) {
#define TESTER_SET(name) out.set_##name(worker.name.Get());
  TESTER_WORKER_COUNTERS(TESTER_SET)
#undef TESTER_SET
}

}  // namespace tester
