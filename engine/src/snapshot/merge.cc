// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "snapshot/merge.h"

#include <algorithm>
#include <functional>
#include <string>

#include "base/int128.h"
#include "wire/header_fault.h"

namespace tester {
namespace {

// The sum of what `count` says of each shard.
template <typename Count>
uint64_t Sum(const StreamShards& shards, Count count) {
  uint64_t sum = 0;
  for (const StreamRx* const shard : shards) sum += std::invoke(count, *shard);
  return sum;
}

uint64_t Sum(const StreamShards& shards, Counter StreamRx::*counter) {
  return Sum(shards, [&](const StreamRx& shard) { return (shard.*counter).Get(); });
}

void FillDepartures(const DepartureErrors& departures, v1::DepartureCounters& out) {
  const uint64_t max = departures.max();
  out.set_count(FillBuckets({&departures.histogram()}, 0, max, *out.mutable_buckets()));
  out.set_sum_ns(departures.sum());
  out.set_max_ns(max);
}

void FillLatency(const StreamShards& shards, bool buckets, v1::LatencyCounters& out) {
  uint64_t min = UINT64_MAX;
  uint64_t max = 0;
  uint64_t sum = 0;
  std::vector<const Histogram*> histograms;
  for (const StreamRx* const shard : shards) {
    min = std::min(min, shard->latency.min());
    max = std::max(max, shard->latency.max());
    sum += shard->latency.sum();
    histograms.push_back(&shard->latency.histogram());
  }
  if (min > max) return;  // no value
  // Either all frames of a stream have a timestamp or none has.
  out.set_count(buckets ? FillBuckets(histograms, min, max, *out.mutable_buckets())
                        : Sum(shards, &StreamRx::packets));
  out.set_sum_ns(sum);
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

void FillVersionReceived(const StreamShards& shards, size_t version, v1::VersionCounters& out) {
  Uint128 time_ns = 0;
  for (const StreamRx* const shard : shards) {
    const VersionCount& rx = shard->versions[version];
    const WideCounter::Value time = rx.time_ns.Get();
    out.set_rx_packets(out.rx_packets() + rx.packets.Get());
    out.set_rx_bytes(out.rx_bytes() + rx.bytes.Get());
    time_ns += Uint128{time.high} << 64U | time.low;
  }
  out.mutable_rx_time_ns()->set_high(static_cast<uint64_t>(time_ns >> 64U));
  out.mutable_rx_time_ns()->set_low(static_cast<uint64_t>(time_ns));
}

// What is known of the order, whichever queues the frames took.
void FillOrderOfAll(const StreamShards& shards, v1::OrderCounters& out) {
  const auto sum = [&](uint64_t (ArrivalOrder::*count)() const) {
    return Sum(shards, [&](const StreamRx& shard) { return (shard.order.*count)(); });
  };
  for (const StreamRx* const shard : shards) {
    out.set_next_sequence(std::max<uint64_t>(out.next_sequence(), shard->order.next()));
  }
  out.set_duplicated(sum(&ArrivalOrder::duplicated));
  out.set_late(sum(&ArrivalOrder::late));
}

void FillOrder(const ArrivalOrder& order, bool buckets, v1::OrderCounters& out) {
  out.set_behind(order.overtaken() + order.late() + order.duplicated());
  out.set_extent_sum(order.extent_sum());
  out.set_extent_max(order.extent_max());
  if (buckets) FillBuckets({&order.extents()}, 0, order.extent_max(), *out.mutable_extents());
}

// The counters of a stream whose frames took several queues.
void ForgetOrder(v1::StreamCounters& out) {
  out.clear_rx_out_of_order();
  out.clear_outages();
  out.clear_variation();
  out.clear_rx_lost_crowded();
  out.mutable_order()->clear_behind();
  out.mutable_order()->clear_extent_sum();
  out.mutable_order()->clear_extent_max();
  out.mutable_order()->clear_extents();
}

bool HasReceived(const StreamRx* shard) { return shard->packets.Get() != 0; }

// 0 where nothing has arrived.
uint64_t FirstArrival(const StreamShards& shards) {
  uint64_t first_ns = 0;
  for (const StreamRx* const shard : shards) {
    const uint64_t arrival_ns = shard->first_ns.Get();
    if (first_ns == 0 || (arrival_ns != 0 && arrival_ns < first_ns)) first_ns = arrival_ns;
  }
  return first_ns;
}

uint64_t LastArrival(const StreamShards& shards) {
  uint64_t last_ns = 0;
  for (const StreamRx* const shard : shards) last_ns = std::max(last_ns, shard->last_ns.Get());
  return last_ns;
}

void FillWrongHeaders(const StreamShards& shards, v1::StreamCounters& out) {
  uint64_t faults = 0;
  for (const StreamRx* const shard : shards) faults |= shard->header_faults.Get();
  for (size_t i = 0; i < wire::kHeaderFaultNames.size(); ++i) {
    if ((faults & wire::BitOf(static_cast<wire::HeaderFault>(i))) == 0) continue;
    out.add_rx_wrong_header_parts(std::string(wire::kHeaderFaultNames[i]));
  }
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

void FillStreamReceived(const StreamShards& shards, StreamParts parts, v1::StreamCounters& out) {
  const auto receiving = std::ranges::find_if(shards, HasReceived);
  const StreamRx& rx = receiving == shards.end() ? *shards.front() : **receiving;
  // A worker counts order, frames and latencies, in this order. Latencies and order are read before
  // the frames, so that a frame that arrives now is not missing below the next sequence.
  FillLatency(shards, parts.buckets, *out.mutable_latency());
  FillOrderOfAll(shards, *out.mutable_order());
  FillOrder(rx.order, parts.buckets, *out.mutable_order());
  // Versions are counted after all other counters.
  for (size_t i = 0; parts.versions && i < rx.versions.size(); ++i) {
    FillVersionReceived(shards, i, *out.add_versions());
  }
  out.set_first_rx_ns(FirstArrival(shards));
  out.set_last_rx_ns(LastArrival(shards));
  out.set_rx_packets(Sum(shards, &StreamRx::packets));
  out.set_rx_bytes(Sum(shards, &StreamRx::bytes));
  out.set_rx_out_of_order(rx.order.overtaken() + rx.order.late());
#define TESTER_SET(name) out.set_rx_##name(Sum(shards, &StreamRx::name));
  TESTER_STREAM_RX_COUNTERS(TESTER_SET)
#undef TESTER_SET
  FillWrongHeaders(shards, out);
  FillOutages(rx.outages, *out.mutable_outages());
  if (parts.signatures && parts.sent_here) FillLostCrowded(rx.lost_crowded, out);
  if (!parts.sent_here) out.clear_rx_version_rewritten();
  FillVariation(rx.variation, *out.mutable_variation());
  if (std::ranges::count_if(shards, HasReceived) > 1) ForgetOrder(out);
}

uint64_t FillBuckets(const std::vector<const Histogram*>& histograms, uint64_t min, uint64_t max,
                     Buckets& out) {
  uint64_t total = 0;
  for (uint32_t index = Histogram::Index(min); index <= Histogram::Index(max); ++index) {
    uint64_t count = 0;
    for (const Histogram* const histogram : histograms) count += histogram->Count(index);
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

void FillGaps(const std::vector<const PollGaps*>& gaps, v1::PollGaps& out) {
  std::vector<const Histogram*> lengths;
  for (const PollGaps* const queue : gaps) {
    out.set_worst_ns(std::max<uint64_t>(out.worst_ns(), queue->worst_ns.Get()));
    out.set_late(out.late() + queue->late.Get());
    lengths.push_back(&queue->lengths);
  }
  if (out.worst_ns() > PollGaps::kLateNs) {
    FillBuckets(lengths, PollGaps::kLateNs, out.worst_ns(), *out.mutable_buckets());
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
