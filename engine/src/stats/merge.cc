// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "stats/merge.h"

#include <algorithm>

namespace tester {
namespace {

void FillLatency(const std::vector<std::shared_ptr<StreamRx>>& rx, v1::Latency& out) {
  uint64_t sum = 0;
  uint64_t min = UINT64_MAX;
  uint64_t max = 0;
  for (const auto& part : rx) {
    sum += part->latency.sum();
    min = std::min(min, part->latency.min());
    max = std::max(max, part->latency.max());
  }
  if (min > max) return;  // there is none
  uint64_t count = 0;
  for (uint32_t index = Histogram::Index(min); index <= Histogram::Index(max); ++index) {
    uint64_t in_bucket = 0;
    for (const auto& part : rx) in_bucket += part->latency.histogram().Count(index);
    if (in_bucket == 0) continue;
    auto& bucket = *out.add_buckets();
    bucket.set_index(index);
    bucket.set_count(in_bucket);
    count += in_bucket;
  }
  out.set_count(count);
  out.set_sum_ns(sum);
  out.set_min_ns(min);
  out.set_max_ns(max);
}

}  // namespace

void FillStream(const StreamTx& tx, const std::vector<std::shared_ptr<StreamRx>>& rx,
                v1::StreamCounters& out) {
  out.set_sending(tx.sending.load(std::memory_order_acquire));
  out.set_intended_packets(tx.intended.Get());
  out.set_tx_packets(tx.packets.Get());
  out.set_tx_bytes(tx.bytes.Get());
  out.set_first_tx_ns(tx.first_ns.Get());
  out.set_last_tx_ns(tx.last_ns.Get());
  out.set_worst_lateness_ns(tx.worst_lateness_ns.Get());
  for (const auto& part : rx) {
    const uint64_t first = part->first_ns.Get();
    if (first != 0 && (out.first_rx_ns() == 0 || first < out.first_rx_ns())) {
      out.set_first_rx_ns(first);
    }
    out.set_last_rx_ns(std::max(out.last_rx_ns(), part->last_ns.Get()));
    out.set_rx_packets(out.rx_packets() + part->packets.Get());
    out.set_rx_bytes(out.rx_bytes() + part->bytes.Get());
    out.set_rx_misrouted(out.rx_misrouted() + part->misrouted.Get());
    out.set_rx_out_of_order(out.rx_out_of_order() + part->out_of_order.Get());
  }
  FillLatency(rx, *out.mutable_latency());
}

void FillPort(const PortCounters& port, v1::PortCounters& out) {
  out.set_tx_packets(port.tx_packets.Get());
  out.set_tx_bytes(port.tx_bytes.Get());
  out.set_tx_refused(port.tx_refused.Get());
  out.set_rx_packets(port.rx_packets.Get());
  out.set_rx_bytes(port.rx_bytes.Get());
  out.set_rx_foreign(port.rx_foreign.Get());
  out.set_neighbour_replies(port.neighbour_replies.Get());
}

}  // namespace tester
