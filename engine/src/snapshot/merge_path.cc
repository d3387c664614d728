// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "snapshot/merge_path.h"

namespace tester {
namespace {

void FillCut(const LinkCut& cut, v1::PathEventCounters& counted) {
  counted.set_link_cut(cut.in_force());
  counted.set_link_outages(cut.times.Get());
  counted.set_first_down_ns(cut.first_down_ns.Get());
  counted.set_last_up_ns(cut.last_up_ns.Get());
  if (const std::string* fault = cut.fault.Get()) counted.set_link_fault(*fault);
}

}  // namespace

void FillPath(const PathPlan& plan, const PathCounters* counters, const Events* events,
              v1::PathCounters& out) {
  out.set_name(plan.name);
  for (size_t direction = 0; direction < kPathDirections; ++direction) {
    auto& counted = *out.add_directions();
    if (counters == nullptr) continue;
#define TESTER_SET(name) counted.set_##name((*counters)[direction].name.Get());
    TESTER_PATH_DIRECTION_COUNTERS(TESTER_SET)
#undef TESTER_SET
    // After their fates.
    counted.set_received((*counters)[direction].received.Get());
    counted.set_duplicated((*counters)[direction].duplicated.Get());
    counted.set_injected((*counters)[direction].injected.Get());
  }
  for (size_t event = 0; event < plan.events.size(); ++event) {
    auto& counted = *out.add_events();
    counted.set_name(plan.events[event].name);
    if (events == nullptr) continue;
    const Events::Counts& counts = events->counts(event);
    counted.set_fired(counts.fired.Get());
    counted.set_missed(counts.missed.Get());
    counted.set_matched(events->matched(event));  // after the events that fired
    counted.set_first_fired_ns(counts.first_ns.Get());
    counted.set_last_fired_ns(counts.last_ns.Get());
    counted.set_expired(counts.expired.Get());
    counted.set_held_back(counts.held_back.Get());
    const auto cut = events->link_cuts().find(static_cast<uint32_t>(event));
    if (cut != events->link_cuts().end()) FillCut(cut->second, counted);
  }
  if (events == nullptr) return;
  out.set_flows(events->flows());
  out.set_untracked(events->untracked());
}

}  // namespace tester
