// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "snapshot/merge_stamps.h"

#include <arpa/inet.h>

#include <array>
#include <string>

#include "snapshot/merge.h"

namespace tester {
namespace {

constexpr uint32_t kChunk = 4096;

// For flow and direction: both messages have these fields.
template <typename Message>
void FillDelay(const DelayFigures& figures, const Histogram* histogram, Message& out) {
  auto& delay = *out.mutable_delay();
  const uint64_t count = figures.count.Get();
  delay.set_count(count);
  if (count != 0) {
    const uint64_t min = figures.min_ns.Get();
    const uint64_t max = figures.max_ns.Get();
    delay.set_sum_ns(figures.sum_ns.Get());
    delay.set_min_ns(min);
    delay.set_max_ns(max);
    if (histogram != nullptr)
      delay.set_count(FillBuckets({histogram}, min, max, *delay.mutable_buckets()));
  }
  const WideCounter::Value squares = figures.squares.Get();
  out.mutable_delay_squares()->set_high(squares.high);
  out.mutable_delay_squares()->set_low(squares.low);
  out.set_ipdv_count(figures.ipdv_count.Get());
  out.set_ipdv_sum_ns(figures.ipdv_sum_ns.Get());
  out.set_ipdv_max_ns(figures.ipdv_max_ns.Get());
}

std::string AddressText(const FlowEnds& ends, const std::array<uint8_t, 16>& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  ::inet_ntop(ends.ip_version == 4 ? AF_INET : AF_INET6, address.data(), text.data(), text.size());
  return text.data();
}

void FillFlow(const StampFlows& flows, uint32_t number, v1::StampFlowCounters& out) {
  const StampFlow& flow = flows[number];
  const StampFlowOddities& oddities = flows.oddities(number);
  const FlowEnds& ends = oddities.ends;
  out.set_source(AddressText(ends, ends.source));
  out.set_destination(AddressText(ends, ends.destination));
  out.set_protocol(ends.protocol);
  out.set_source_port(ends.source_port);
  out.set_destination_port(ends.destination_port);
  // Received is read before sent: packets that come back meanwhile cannot make received greater.
  out.set_received(flow.received.Get());
  out.set_sent(flow.sent.Get());
  out.set_reordered(oddities.reordered.Get());
  out.set_late(oddities.late.Get());
  out.set_duplicated(oddities.duplicated.Get());
  out.set_ambiguous(oddities.ambiguous.Get());
  FillDelay(flow.delay, flows.histogram(number), out);
}

}  // namespace

void FillStamps(const Stamping& stamping, v1::StampDirectionCounters& out) {
  const StampCounters& counters = stamping.counters();
#define TESTER_SET(name) out.set_##name(counters.name.Get());
  TESTER_STAMP_COUNTERS(TESTER_SET)
#undef TESTER_SET
  out.set_sent(counters.sent.Get());  // after received, as above
  out.set_flows(stamping.flows().count());
  FillDelay(stamping.delay(), &stamping.histogram(), out);
}

void WriteStampRecords(const Stamping& stamping, uint64_t interval_ns,
                       const std::function<bool(const v1::StampRecords&)>& write) {
  const StampFlows& flows = stamping.flows();
  const uint32_t count = flows.count();
  std::atomic_thread_fence(std::memory_order_acquire);
  for (uint32_t first = 0; first < count; first += kChunk) {
    v1::StampRecords chunk;
    for (uint32_t flow = first; flow < count && flow < first + kChunk; ++flow) {
      FillFlow(flows, flow, *chunk.add_flows());
    }
    if (!write(chunk)) return;
  }
  const StampIntervals& intervals = stamping.intervals();
  for (uint32_t first = 0; first < intervals.count(); first += kChunk) {
    v1::StampRecords chunk;
    for (uint32_t i = first; i < intervals.count() && i < first + kChunk; ++i) {
      const StampInterval& interval = intervals[i];
      auto& out = *chunk.add_intervals();
      out.set_begin_ns(i * interval_ns);
      out.set_received(interval.received.Get());
      out.set_sent(interval.sent.Get());
      out.set_delay_count(interval.delay_count.Get());
      out.set_delay_sum_ns(interval.delay_sum_ns.Get());
      out.set_delay_max_ns(interval.delay_max_ns.Get());
    }
    if (!write(chunk)) return;
  }
}

}  // namespace tester
