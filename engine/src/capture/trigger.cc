// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "capture/trigger.h"

#include <utility>

namespace tester {

TriggerWatch::TriggerWatch(TriggerPlan plan, std::shared_ptr<std::atomic<uint64_t>> fired_ns)
    : plan_(std::move(plan)), fired_ns_(std::move(fired_ns)) {
  if (plan_.kind == TriggerPlan::Kind::kGap) progress_.resize(UINT16_MAX + 1);
}

bool TriggerWatch::Fires(const Sighting& sighting, uint16_t port) {
  if (fired() || !Holds(sighting, port)) return false;
  uint64_t not_yet = 0;
  return fired_ns_->compare_exchange_strong(not_yet, sighting.time_ns);
}

bool TriggerWatch::Holds(const Sighting& sighting, uint16_t port) {
  if (plan_.kind == TriggerPlan::Kind::kFilter) return plan_.filter->Matches(sighting.frame);
  const Expected* stream = sighting.expected;
  if (stream == nullptr || stream->rx_port != port) return false;
  const auto latency_ns =
      LatencyOf(*stream, wire::Signature::Read(sighting.signature).timestamp_ns, sighting.time_ns);
  if (!latency_ns) return false;  // of an earlier start
  const auto bytes = static_cast<uint32_t>(sighting.frame.size());
  const auto end = static_cast<uint32_t>(sighting.signature - sighting.frame.data() +
                                         ptrdiff_t{wire::kSignatureBytes});
  switch (plan_.kind) {
    case TriggerPlan::Kind::kGap:
      return FollowsAGap(sighting);
    case TriggerPlan::Kind::kLatency:
      return *latency_ns > plan_.latency_ns;
    case TriggerPlan::Kind::kDamage:
      return DamageOf(*stream, sighting.sequence, sighting.signature,
                      {.frame = sighting.frame,
                       .bytes = bytes,
                       .end = end,
                       .port = port,
                       .now_ns = sighting.time_ns,
                       .counters = nullptr}) != Damage::kNone;
    case TriggerPlan::Kind::kFilter:
      break;
  }
  return false;
}

bool TriggerWatch::FollowsAGap(const Sighting& sighting) {
  const Expected& stream = *sighting.expected;
  RunProgress& progress = progress_[sighting.stream];
  // A burst is counted after it is captured.
  if (progress.start_ns != stream.start_ns || progress.next == 0) {
    progress = {.start_ns = stream.start_ns, .next = stream.counters->order.next()};
  }
  const bool gap = sighting.sequence > progress.next;
  if (sighting.sequence >= progress.next) progress.next = sighting.sequence + 1;
  return gap;
}

}  // namespace tester
