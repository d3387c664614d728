// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "snapshot/merge_responder.h"

#include "snapshot/merge.h"

namespace tester {
namespace {

void FillDurations(const Latency& times, v1::DurationCounters& out) {
  if (times.min() > times.max()) return;  // there is none
  out.set_count(FillBuckets(times.histogram(), times.min(), times.max(), *out.mutable_buckets()));
  out.set_sum_us(times.sum());
  out.set_min_us(times.min());
  out.set_max_us(times.max());
}

}  // namespace

void FillResponder(const ResponderCounters& counters, v1::EndCounters& out) {
  for (const Counter& counter : counters.counters) out.add_counters(counter.Get());
  for (const Latency& times : counters.histograms) FillDurations(times, *out.add_histograms());
  out.set_opening(counters.opening.load(std::memory_order_relaxed));
#define TESTER_SET(name) out.set_##name(counters.name.Get());
  TESTER_RESPONDER_COUNTERS(TESTER_SET)
#undef TESTER_SET
}

}  // namespace tester
