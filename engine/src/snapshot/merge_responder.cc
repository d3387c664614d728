// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "snapshot/merge_responder.h"

#include "snapshot/merge.h"

namespace tester {
namespace {

void FillDurations(const Latency& times, v1::DurationCounters& out) {
  if (times.min() > times.max()) return;  // no value
  out.set_count(
      FillBuckets({&times.histogram()}, times.min(), times.max(), *out.mutable_buckets()));
  out.set_sum_us(times.sum());
  out.set_min_us(times.min());
  out.set_max_us(times.max());
}

void FillChange(const FirstPacket<ChangedByte>& change, v1::EndCounters& out) {
  if (!change.kept()) return;
  out.set_changed_headers(change.headers().data(), change.headers().size());
  out.set_changed_place(change.detail().place);
  out.set_changed_arrived(change.detail().arrived);
  out.set_changed_expected(change.detail().expected);
}

void FillExample(const FirstPacket<uint16_t>& example, v1::EndCounters& out) {
  if (!example.kept()) return;
  out.set_example_headers(example.headers().data(), example.headers().size());
  out.set_example_counter(example.detail());
}

}  // namespace

void FillResponder(const ResponderCounters& counters, v1::EndCounters& out) {
  // Protocols name counters of begins before those of ends, so the last one is read first.
  const auto size = static_cast<int>(counters.counters.size());
  out.mutable_counters()->Resize(size, 0);
  for (int i = size - 1; i >= 0; --i) {
    out.set_counters(i, counters.counters[static_cast<size_t>(i)].Get());
  }
  for (const Latency& times : counters.histograms) FillDurations(times, *out.add_histograms());
  FillChange(counters.first_change, out);
  FillExample(counters.example, out);
  out.set_opening(counters.opening.load(std::memory_order_relaxed));
#define TESTER_SET(name) out.set_##name(counters.name.Get());
  TESTER_RESPONDER_COUNTERS(TESTER_SET)
#undef TESTER_SET
  // After the ended flows.
  out.set_flows_begun(counters.flows_begun.Get());
  out.set_openings(counters.openings.Get());
}

}  // namespace tester
