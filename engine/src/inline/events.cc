// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/events.h"

#include <algorithm>
#include <utility>

#include "base/random_numbers.h"
#include "inline/actions.h"

namespace tester {
namespace {

// Flows of a watch whose packets are numbered over all flows.
constexpr uint32_t kFlowsOfAll = 65'536;

bool HoldsOf(const Matches& matches, Frame frame) {
  return std::ranges::all_of(matches, [&](const ByteMatch& byte) {
    return byte.offset < frame.size() && (frame[byte.offset] & byte.mask) == byte.value;
  });
}

bool Heads(Heading heading, size_t direction) {
  return heading == Heading::kBoth || (heading == Heading::kForward) == (direction == 0);
}

bool SelectsByNumber(const EventPlan& event) {
  return std::holds_alternative<ByNumber>(event.selection);
}

uint64_t NumberOf(const EventPlan& event) { return std::get<ByNumber>(event.selection).number; }

}  // namespace

Events::Events(const PathPlan& plan) : plan_(plan), counts_(plan.events.size()) {
  selected_.reserve(plan_.events.size());
  happened_.reserve(plan_.events.size());
  for (const Matches& matches : plan_.watches)
    watches_.push_back({.matches = &matches, .flows = {}});
  std::vector<uint32_t> room(watches_.size());  // for flows
  for (uint32_t i = 0; i < plan_.events.size(); ++i) {
    const EventPlan& event = plan_.events[i];
    Series& series = SeriesOf(event);
    (SelectsByNumber(event) ? series.by_number : series.recurring).push_back(i);
    uint32_t& flows = room[event.watch];
    flows = std::max(flows, event.flow);
    if (event.flow == 0 && SelectsByNumber(event)) {
      flows = kFlowsOfAll;
      watches_[event.watch].numbers_all = true;
    }
  }
  for (const auto& series : series_) {
    std::ranges::stable_sort(series->by_number, {},
                             [this](uint32_t event) { return NumberOf(plan_.events[event]); });
    series->awaited.reserve(series->by_number.size());
  }
  for (size_t i = 0; i < watches_.size(); ++i) {
    Watch& watch = watches_[i];
    if (room[i] != 0) watch.flows = std::make_unique<NumberedFlows>(room[i]);
    std::ranges::stable_sort(watch.of_flows, {}, &Series::flow);
  }
}

Events::Series& Events::SeriesOf(const EventPlan& event) {
  Watch& watch = watches_[event.watch];
  auto& those = event.flow == 0 ? watch.everywhere : watch.of_flows;
  const auto known = std::ranges::find_if(those, [&](const Series* series) {
    return series->flow == event.flow && series->heading == event.heading &&
           series->data_only == event.data_only;
  });
  if (known != those.end()) {
    const auto at =
        std::ranges::find_if(series_, [&](const auto& series) { return series.get() == *known; });
    series_of_.push_back(static_cast<size_t>(at - series_.begin()));
    return **known;
  }
  series_.push_back(std::make_unique<Series>(event));
  series_of_.push_back(series_.size() - 1);
  those.push_back(series_.back().get());
  return *series_.back();
}

// A later transmission of what an event waits for.
void Events::SeeAgain(Series& series, const Arrived& arrived) {
  for (size_t i = 0; i < series.awaited.size();) {
    Awaited& awaited = series.awaited[i];
    const bool covers = awaited.flow == arrived.flow && awaited.direction == arrived.direction &&
                        awaited.begin - arrived.segment.sequence < arrived.segment.sequence_numbers;
    const uint32_t wanted = std::get<ByNumber>(plan_.events[awaited.event].selection).iteration;
    if (!covers || ++awaited.transmissions < wanted) {
      ++i;
      continue;
    }
    selected_.push_back(awaited.event);
    awaited = series.awaited.back();
    series.awaited.pop_back();
  }
}

void Events::SeeFirst(Series& series, const Arrived& arrived) {
  ++series.numbered;
  for (; series.next < series.by_number.size(); ++series.next) {
    const uint32_t event = series.by_number[series.next];
    const ByNumber& wanted = std::get<ByNumber>(plan_.events[event].selection);
    if (wanted.number != series.numbered) return;
    if (wanted.iteration == 1) {
      selected_.push_back(event);
    } else if (arrived.segment.sequence_numbers != 0) {
      series.awaited.push_back({.event = event,
                                .flow = arrived.flow,
                                .begin = arrived.segment.sequence,
                                .transmissions = 1,
                                .direction = arrived.direction});
    }
  }
}

void Events::See(Series& series, const Arrived& arrived) {
  if (!Heads(series.heading, arrived.direction)) return;
  if (series.data_only && !arrived.segment.has_payload()) return;
  seen_ = true;
  const uint64_t packet = series.packets.Get();
  series.packets.Set(packet + 1);
  if (arrived.progress.again) SeeAgain(series, arrived);
  if (arrived.progress.first) SeeFirst(series, arrived);
  for (const uint32_t event : series.recurring) {
    const Selection& selection = plan_.events[event].selection;
    const auto* every = std::get_if<ByEvery>(&selection);
    const auto* ratio = std::get_if<ByRatio>(&selection);
    const bool selects = every != nullptr ? (packet + 1) % every->packets == 0
                                          : RandomNumber(ratio->seed, packet) < ratio->threshold;
    if (selects) selected_.push_back(event);
  }
}

void Events::Watched(Watch& watch, MutableFrame frame, const Segment& segment, size_t direction) {
  Arrived arrived{
      .frame = frame, .segment = segment, .direction = direction, .flow = 0, .progress = {}};
  if (watch.flows) {
    const uint32_t before = watch.flows->count();
    if (NumberedFlow* flow = watch.flows->Find(frame, segment)) {
      flow_count_.Add(watch.flows->count() - before);
      arrived.flow = flow->number;
      arrived.progress = flow->Follow(segment, direction);
    } else if (watch.numbers_all && segment.is_tcp()) {
      untracked_.Add(1);
    }
  }
  for (Series* series : watch.everywhere) See(*series, arrived);
  if (arrived.flow == 0) return;
  auto series = std::ranges::lower_bound(watch.of_flows, arrived.flow, {}, &Series::flow);
  for (; series != watch.of_flows.end() && (*series)->flow == arrived.flow; ++series) {
    See(**series, arrived);
  }
}

bool Events::Happen(const PacketAction& action, MutableFrame frame, const Segment& segment,
                    Treatment& treatment) const {
  if (std::holds_alternative<DropPacket>(action)) {
    treatment.dropped = true;
    return true;
  }
  if (std::holds_alternative<DuplicatePacket>(action)) {
    ++treatment.copies;
    return true;
  }
  if (const auto* truncate = std::get_if<TruncatePacket>(&action)) {
    if (treatment.bytes <= truncate->bytes) return false;
    treatment.bytes = truncate->bytes;
    return treatment.changed = true;
  }
  const auto* corrupt = std::get_if<CorruptPacket>(&action);
  const bool done = corrupt != nullptr ? Corrupt(frame.first(treatment.bytes), segment, *corrupt)
                                       : MarkCe(frame, segment);
  treatment.changed |= done;
  return done;
}

Treatment Events::Treat(MutableFrame frame, size_t direction, uint64_t now_ns) {
  Treatment treatment{.bytes = frame.size()};
  const Segment segment = Segment::Of(frame);
  selected_.clear();
  happened_.clear();
  seen_ = false;
  for (Watch& watch : watches_) {
    if (HoldsOf(*watch.matches, frame)) Watched(watch, frame, segment, direction);
  }
  treatment.seen = seen_;
  if (selected_.empty()) [[likely]]
    return treatment;
  std::ranges::sort(selected_);
  for (const uint32_t event : selected_) {
    Counts& counts = counts_[event];
    if (!Happen(plan_.events[event].action, frame, segment, treatment)) {
      counts.missed.Add(1);
      continue;
    }
    if (counts.fired.Get() == 0) counts.first_ns.Set(now_ns);
    counts.last_ns.Set(now_ns);
    counts.fired.Add(1);
    happened_.push_back(event);
    if (treatment.dropped) break;
  }
  return treatment;
}

}  // namespace tester
