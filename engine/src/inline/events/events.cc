// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/events/events.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/random_numbers.h"
#include "base/saturate.h"
#include "inline/events/actions.h"

namespace tester {
namespace {

// Flows of a watch that numbers the packets of all flows together.
constexpr uint32_t kFlowsOfAll = 65'536;

bool SelectsByNumber(const EventPlan& event) {
  return std::holds_alternative<ByNumber>(event.selection);
}

// Whether it has to know the flow of a packet, whichever packets it selects.
bool NeedsFlow(const PacketAction& action) {
  const auto* blackhole = std::get_if<BlackholePath>(&action);
  return std::holds_alternative<ResetConnection>(action) ||
         (blackhole != nullptr && blackhole->flow_only);
}

uint64_t NumberOf(const EventPlan& event) { return std::get<ByNumber>(event.selection).number; }

}  // namespace

Events::Events(const PathPlan& plan)
    : plan_(plan), counts_(plan.events.size()), blackholes_(plan.events.size()) {
  selected_.reserve(plan_.events.size());
  happened_.reserve(plan_.events.size());
  watching_.reserve(plan_.events.size());
  for (const Matches& matches : plan_.watches)
    watches_.push_back({.matches = &matches, .flows = {}});
  std::vector<uint32_t> room(watches_.size());  // for flows
  std::vector<bool> tells_bytes(watches_.size());
  transmissions_.resize(plan_.events.size());
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
    if (event.flow == 0 && NeedsFlow(event.action)) flows = kFlowsOfAll;
    if (const auto* carried = std::get_if<ByCarried>(&event.selection); carried != nullptr)
      tells_bytes[event.watch] = tells_bytes[event.watch] || carried->from_start;
    if (std::holds_alternative<TakeLinkDown>(event.action)) link_cuts_.try_emplace(i);
  }
  for (const auto& series : series_) {
    std::ranges::stable_sort(series->by_number, {},
                             [this](uint32_t event) { return NumberOf(plan_.events[event]); });
    series->awaited.reserve(series->by_number.size());
    FindNextNumber(*series);
  }
  for (size_t i = 0; i < watches_.size(); ++i) {
    Watch& watch = watches_[i];
    if (room[i] != 0) watch.flows = std::make_unique<NumberedFlows>(room[i]);
    if (tells_bytes[i]) watch.begins.resize(size_t{room[i]} + 1);
    if (watch.flows) tables_.push_back(watch.flows.get());
    std::ranges::stable_sort(watch.of_flows, {}, &Series::flow);
    if (watch.of_flows.empty()) continue;
    watch.first_of_flow.resize(watch.of_flows.back()->flow + 2);
    for (uint32_t flow = 0; flow < watch.first_of_flow.size(); ++flow) {
      const auto first = std::ranges::lower_bound(watch.of_flows, flow, {}, &Series::flow);
      watch.first_of_flow[flow] = static_cast<uint32_t>(first - watch.of_flows.begin());
    }
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

// A later transmission of an awaited segment.
void Events::SelectAgain(Series& series, Arrived arrived) {
  for (size_t i = 0; i < series.awaited.size();) {
    Awaited& awaited = series.awaited[i];
    const bool covers =
        awaited.flow == arrived.flow && awaited.direction == arrived.direction &&
        awaited.begin - arrived.segment->sequence < arrived.segment->sequence_numbers;
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

void Events::FindNextNumber(Series& series) const {
  const bool none = series.next == series.by_number.size();
  series.next_number = none ? UINT64_MAX : NumberOf(plan_.events[series.by_number[series.next]]);
}

void Events::SelectByNumber(Series& series, Arrived arrived) {
  for (; series.next < series.by_number.size(); ++series.next) {
    const uint32_t event = series.by_number[series.next];
    const ByNumber& wanted = std::get<ByNumber>(plan_.events[event].selection);
    if (wanted.number != series.numbered) break;
    if (wanted.iteration == 1) {
      selected_.push_back(event);
    } else if (arrived.segment->sequence_numbers != 0) {
      series.awaited.push_back({.event = event,
                                .flow = arrived.flow,
                                .begin = arrived.segment->sequence,
                                .transmissions = 1,
                                .direction = arrived.direction});
    }
  }
  FindNextNumber(series);
}

void Events::SelectRecurring(const Series& series, uint64_t packet, Arrived arrived) {
  for (const uint32_t event : series.recurring) {
    if (Selects(event, packet, arrived)) selected_.push_back(event);
  }
}

bool Events::Selects(uint32_t event, uint64_t packet, const Arrived& arrived) {
  const Selection& selection = plan_.events[event].selection;
  if (const auto* every = std::get_if<ByEvery>(&selection))
    return (packet + 1) % every->packets == 0;
  if (const auto* ratio = std::get_if<ByRatio>(&selection))
    return RandomNumber(ratio->seed, packet) < ratio->threshold;
  if (const auto* pattern = std::get_if<ByPattern>(&selection))
    return pattern->selects[packet % pattern->selects.size()] != 0;
  return Carries(event, std::get<ByCarried>(selection), arrived);
}

bool Events::Carries(uint32_t event, const ByCarried& carried, const Arrived& arrived) {
  const Segment& segment = *arrived.segment;
  uint32_t numbers = segment.sequence_numbers;
  uint32_t sequence = carried.sequence;
  if (segment.is_roce) {
    if (carried.from_start) return false;
    sequence *= Segment::kPerRocePacket;
  } else if (carried.from_start) {
    sequence += watches_[plan_.events[event].watch].begins[arrived.flow][arrived.direction];
    numbers -= (segment.tcp_flags & Segment::kFin) != 0 ? 1 : 0;
  }
  // A difference modulo 2^32: sequence numbers go round.
  if (sequence - segment.sequence >= numbers) return false;
  return ++transmissions_[event][arrived.direction] == carried.iteration;
}

void Events::NoteBegin(Watch& watch, const Segment& segment) const {
  const NumberedFlow& flow = *watch.flow;
  if (flow.number >= watch.begins.size() || flow.seen[direction_] || segment.sequence_numbers == 0)
    return;
  watch.begins[flow.number][direction_] =
      segment.sequence + ((segment.tcp_flags & Segment::kSyn) != 0 ? 1 : 0);
}

inline bool Events::SeenBy(Watch& watch, const Packet& packet) {
  const Segment& segment = packet.segment;
  Arrived arrived{.segment = &segment, .direction = direction_, .flow = 0, .progress = {}};
  if (watch.flows) {
    const uint32_t before = watch.flows->count();
    watch.flow = segment.has_flow() ? watch.flows->Find(packet.key, packet.hash, segment) : nullptr;
    if (watch.flow != nullptr) {
      if (watch.flows->count() != before) [[unlikely]]
        flow_count_.Add(watch.flows->count() - before);
      arrived.flow = watch.flow->number;
      if (!watch.begins.empty()) [[unlikely]]
        NoteBegin(watch, segment);
      arrived.progress = watch.flow->Follow(segment, direction_);
    } else if (watch.numbers_all && (segment.is_tcp() || segment.is_roce)) {
      untracked_.Add(1);
    }
  }
  bool seen = false;
  for (Series* series : watch.everywhere) seen |= SeenBy(*series, arrived);
  // Flow 0 means no flow. A flow that no event asks for is not in the table.
  if (size_t{arrived.flow} + 1 >= watch.first_of_flow.size()) return seen;
  const uint32_t end = watch.first_of_flow[arrived.flow + 1];
  for (uint32_t i = watch.first_of_flow[arrived.flow]; i < end; ++i) {
    seen |= SeenBy(*watch.of_flows[i], arrived);
  }
  return seen;
}

bool Events::Saw(uint32_t event) const {
  return std::ranges::find(watching_, series_[series_of_[event]].get()) != watching_.end();
}

void Events::SelectInBlackholes(const Present& present) {
  for (const auto& hole : blackholes_.Now(present.direction, present.now_ns)) {
    if (std::ranges::find(selected_, hole.event) != selected_.end()) continue;
    if (hole.flow != 0) {
      const Watch& watch = watches_[plan_.events[hole.event].watch];
      if (!HoldsOf(*watch.matches, present.frame)) continue;
      if (watch.flow == nullptr || watch.flow->number != hole.flow) continue;
    }
    selected_.push_back(hole.event);
  }
}

bool Events::Swallow(uint32_t event, const BlackholePath& blackhole, const Present& present,
                     Treatment& treatment) {
  uint32_t of = 0;
  if (blackhole.flow_only) {
    const NumberedFlow* const flow = watches_[plan_.events[event].watch].flow;
    if (flow == nullptr || flow->number == NumberedFlows::kNone) return false;
    of = flow->number;
  }
  const Blackholes::Hole hole{
      .event = event, .flow = of, .end_ns = AddSaturating(present.now_ns, blackhole.duration_ns)};
  // A packet in the blackhole selects it again, but does not open it in the other direction once
  // this one is over.
  const bool opened = blackholes_.Open(present.direction, hole);
  if (opened && blackhole.both_ways)
    blackholes_.Open(kPathDirections - 1 - present.direction, hole);
  treatment.dropped = true;
  return true;
}

bool Events::Cut(uint32_t event, const Present& present, Treatment& treatment) {
  const Blackholes::Hole hole{.event = event, .flow = 0, .end_ns = Blackholes::kOpen};
  if (blackholes_.Open(present.direction, hole)) {
    blackholes_.Open(kPathDirections - 1 - present.direction, hole);
    link_cuts_.at(event).Ask(present.now_ns);
  }
  return treatment.dropped = true;
}

bool Events::Reset(uint32_t event, const Present& present, Treatment& treatment) {
  const NumberedFlow* const flow = watches_[plan_.events[event].watch].flow;
  const size_t bytes =
      resets_.Make(present.frame.first(treatment.bytes), present.segment, flow, present.direction);
  if (bytes == 0) return false;
  treatment.bytes = bytes;
  return treatment.changed = treatment.answered = true;
}

bool Events::Happen(uint32_t event, const Present& present, Treatment& treatment) {
  const PacketAction& action = plan_.events[event].action;
  const MutableFrame frame = present.frame.first(treatment.bytes);
  const Segment& segment = present.segment;
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
  if (const auto* delay = std::get_if<DelayPacket>(&action)) {
    treatment.delay_ns += delay->delay_ns;
    treatment.overtaken |= delay->overtaken;
    return true;
  }
  if (const auto* reorder = std::get_if<ReorderPacket>(&action)) {
    if (treatment.hold_back.frames != 0) return false;
    treatment.hold_back = {
        .event = event, .frames = reorder->frames, .limit_ns = reorder->limit_ns};
    return true;
  }
  if (const auto* blackhole = std::get_if<BlackholePath>(&action))
    return Swallow(event, *blackhole, present, treatment);
  if (std::holds_alternative<TakeLinkDown>(action)) return Cut(event, present, treatment);
  if (std::holds_alternative<ResetConnection>(action)) return Reset(event, present, treatment);
  bool done = false;
  if (const auto* corrupt = std::get_if<CorruptPacket>(&action)) {
    done = Corrupt(frame, segment, *corrupt);
  } else if (const auto* rewrite = std::get_if<RewritePacket>(&action)) {
    done = Rewrite(frame, segment, *rewrite);
  } else {
    done = MarkCe(frame, segment);
  }
  treatment.changed |= done;
  return done;
}

void Events::Begin(std::span<const MutableFrame> frames, size_t direction, uint64_t now_ns) {
  direction_ = direction;
  now_ns_ = now_ns;
  unseen_ = 0;
  for (size_t i = 0; i < frames.size(); ++i) {
    // Constructed in place: a copy would wait for the stores before it.
    const Packet& packet = *std::construct_at(&packets_[i], frames[i]);
    for (const NumberedFlows* flows : tables_) flows->Prefetch(packet.hash);
  }
}

size_t Events::See(size_t begin, size_t end) {
  selected_.clear();
  happened_.clear();
  watching_.clear();
  for (size_t i = begin; i < end; ++i) {
    const Packet& packet = packets_[i];
    is_seen_ = false;
    for (Watch& watch : watches_) {
      if (HoldsOf(*watch.matches, packet.frame)) is_seen_ |= SeenBy(watch, packet);
    }
    // One branch for all.
    if (selected_.size() + watching_.size() + blackholes_.count(direction_) != 0) [[unlikely]]
      return i;
    unseen_ += is_seen_ ? 0 : 1;
  }
  return end;
}

const Treatment& Events::Treat(size_t index) {
  const Packet& packet = packets_[index];
  treatment_ = {.bytes = packet.frame.size()};
  const Present present{
      .frame = packet.frame, .segment = packet.segment, .direction = direction_, .now_ns = now_ns_};
  for (auto& [event, cut] : link_cuts_) {
    if (cut.TakeEnd()) blackholes_.Close(event);
  }
  SelectInBlackholes(present);
  treatment_.selected = !selected_.empty();
  unseen_ += is_seen_ || treatment_.selected ? 0 : 1;
  std::ranges::sort(selected_);
  for (const uint32_t event : selected_) {
    Counts& counts = counts_[event];
    if (!Happen(event, present, treatment_)) {
      counts.missed.Add(1);
      continue;
    }
    if (counts.fired.Get() == 0) counts.first_ns.Set(now_ns_);
    counts.last_ns.Set(now_ns_);
    counts.fired.Add(1);
    happened_.push_back(event);
    if (treatment_.dropped || treatment_.answered) break;
  }
  return treatment_;
}

}  // namespace tester
