// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/stamps/stamping.h"

#include <algorithm>
#include <memory>

namespace tester {
namespace {

void CountOne(Counter& counter) { counter.Add(1); }

}  // namespace

Stamping::Stamping(const StampPlan& plan, size_t direction, uint64_t start_ns)
    : plan_(plan),
      kept_(plan.kept),
      direction_(direction),
      start_ns_(start_ns),
      last_ns_(start_ns),
      flows_(plan.flows),
      intervals_(start_ns, plan.interval_ns, plan.intervals),
      came_back_(!plan.by_match) {
  if (plan.by_match) under_way_.emplace(plan.under_way, plan.timeout_ns);
}

bool Stamping::Watches(Frame frame, const StampPlace& place) const {
  return HoldsOf(plan_.matches, frame) && (!plan_.data_only || place.inner.has_payload());
}

void Stamping::CountSent(uint32_t flow, uint64_t sent_ns) {
  CountOne(counters_.sent);
  counters_.last_sent_ns.Set(sent_ns);
  if (StampInterval* const interval = intervals_.At(sent_ns)) CountOne(interval->sent);
  if (flow == StampFlows::kNone) {
    CountOne(counters_.untracked);
  } else {
    CountOne(flows_[flow].sent);
  }
}

void Stamping::CountUnfit(Fit fit) {
  switch (fit) {
    case Fit::kUnfit:
      return CountOne(counters_.unfit);
    case Fit::kOccupied:
      return CountOne(counters_.occupied);
    case Fit::kNoRoom:
      return CountOne(counters_.no_room);
    case Fit::kTooLong:
      return CountOne(counters_.too_long);
    case Fit::kFits:
      return;
  }
}

void Stamping::Depart(std::span<RoomyFrame> frames, size_t frame_bytes, uint64_t now_ns) {
  if (ended_.load(std::memory_order_relaxed)) return;
  const StampLimits limits{
      .packet_bytes = plan_.mtu, .frame_bytes = frame_bytes, .grows = plan_.remove};
  std::array<Departure, kBurst> burst;
  const std::span departures = std::span(burst).first(Select(frames, limits, burst));
  FindFlows(departures);
  for (const Departure& departure : departures) {
    // The frames of a burst leave at one instant; a nanosecond between them keeps them distinct and
    // in order.
    last_ns_ = std::max(now_ns, last_ns_ + 1);
    if (!under_way_) {
      Insert(departure, limits.grows);
    } else if (!Remember(departure)) [[unlikely]] {
      continue;
    }
    CountSent(departure.flow, last_ns_);
  }
}

// Prefetches the look-ups of all frames.
size_t Stamping::Select(std::span<RoomyFrame> frames, const StampLimits& limits,
                        std::span<Departure> departures) {
  size_t count = 0;
  for (RoomyFrame& frame : frames) {
    if (frame.bytes == 0) [[unlikely]] {
      CountOne(counters_.unfit);
      continue;
    }
    const StampPlace place(frame.frame(), plan_.tunnel);
    if (!Watches(frame.frame(), place)) continue;
    Fit fit = place.found() && place.whole ? Fit::kFits : Fit::kUnfit;
    if (!plan_.by_match && fit == Fit::kFits) fit = FitOf(frame, place, limits);
    if (fit != Fit::kFits) [[unlikely]] {
      CountUnfit(fit);
      continue;
    }
    Departure& departure = departures[count++];
    departure.frame = &frame;
    departure.hash = FlowHash(frame.frame(), place);
    flows_.Prefetch(departure.hash);
    if (under_way_) {
      departure.key = kept_.Of(frame.frame(), place);
      under_way_->Prefetch(departure.key);
    }
  }
  return count;
}

void Stamping::FindFlows(std::span<Departure> departures) {
  for (Departure& departure : departures) {
    departure.flow = flows_.Find(departure.hash, [&] {
      const Frame frame = departure.frame->frame();
      return FlowEndsOf(frame, StampPlace(frame, plan_.tunnel));
    });
    if (departure.flow != StampFlows::kNone) flows_.PrefetchFlow(departure.flow);
  }
}

bool Stamping::Remember(const Departure& departure) {
  const auto entered =
      under_way_->Enter(departure.key, std::min(departure.flow, UnderWay::kNoFlow), last_ns_);
  if (entered == UnderWay::Entered::kFull) [[unlikely]] {
    CountOne(counters_.overflowed);
    return false;
  }
  if (entered == UnderWay::Entered::kAgain) [[unlikely]] {
    CountOne(counters_.ambiguous);
    if (departure.flow != StampFlows::kNone) CountOne(flows_.oddities(departure.flow).ambiguous);
  }
  return true;
}

void Stamping::Insert(const Departure& departure, bool grows) {
  // Parsed again: keeping the places of a whole burst would take longer.
  const StampPlace place(departure.frame->frame(), plan_.tunnel);
  InsertStamp(*departure.frame, place,
              {.first_ns = last_ns_ & kStampTimeMask,
               .flow = static_cast<uint16_t>(std::min<uint32_t>(departure.flow, kNoStampFlow)),
               .second_ns = ++last_number_ << 1 | direction_},
              grows);
}

void Stamping::Withdraw(Frame frame) {
  if (frame.empty()) return;
  const StampPlace place(frame, plan_.tunnel);
  if (!place.found()) return;
  uint64_t sent_ns = last_ns_;
  if (under_way_) {
    if (!Watches(frame, place) || !place.whole) return;
    under_way_->Withdraw(kept_.Of(frame, place));
  } else {
    const auto stamp = ReadStamp(frame, place);
    if (!stamp) return;
    sent_ns = last_ns_ - ((last_ns_ - stamp->first_ns) & kStampTimeMask);
  }
  const auto take_back = [](Counter& counter) { counter.Set(counter.Get() - 1); };
  take_back(counters_.sent);
  if (StampInterval* const interval = intervals_.At(sent_ns)) take_back(interval->sent);
  const uint32_t flow =
      flows_.Find(FlowHash(frame, place), [&] { return FlowEndsOf(frame, place); });
  take_back(flow == StampFlows::kNone ? counters_.untracked : flows_[flow].sent);
}

// A device may have put a packet into a tunnel, or taken it out of one.
void Stamping::FindBehind(Frame frame, StampPlace& place) const {
  std::construct_at(&place, frame, plan_.tunnel);
  if (plan_.tunnel != Tunnel::kNone) {
    if (!place.found()) std::construct_at(&place, frame, Tunnel::kNone);
    return;
  }
  const Tunnel tunnel = place.TunnelIn(frame);
  if (tunnel == Tunnel::kNone || ReadStamp(frame, place)) return;
  const StampPlace inner(frame, tunnel);
  if (inner.found()) place = inner;
}

void Stamping::CountUnknown(Frame frame, const StampPlace& place) {
  if (Watches(frame, place)) CountOne(counters_.unstamped);
}

void Stamping::CountReceived(const Returned& packet, uint64_t now_ns, bool known) {
  CountOne(counters_.received);
  StampFlow* const flow = FlowAt(packet.flow);
  StampInterval* const interval = intervals_.At(packet.sent_ns);
  if (interval != nullptr) CountOne(interval->received);
  if (flow != nullptr) CountOne(flow->received);
  if (!known) return;
  const uint64_t delay_ns = now_ns - packet.sent_ns;
  delay_.Add(delay_ns);
  histogram_.Add(delay_ns);
  if (interval != nullptr) {
    CountOne(interval->delay_count);
    interval->delay_sum_ns.Add(delay_ns);
    interval->delay_max_ns.Raise(delay_ns);
  }
  if (flow == nullptr) return;
  const bool first = flow->delay.count.Get() == 0;
  flow->delay.Add(delay_ns);
  if (Histogram* const histogram = flows_.histogram(packet.flow)) histogram->Add(delay_ns);
  if (packet.sent_ns < flow->newest_ns) {
    CountOne(flows_.oddities(packet.flow).reordered);
    CountOne(counters_.reordered);
    return;
  }
  if (!first) {
    const uint64_t last_ns = flow->last_delay_ns;
    const uint64_t variation = delay_ns > last_ns ? delay_ns - last_ns : last_ns - delay_ns;
    flow->delay.AddVariation(variation);
    delay_.AddVariation(variation);
  }
  flow->newest_ns = packet.sent_ns;
  flow->last_delay_ns = delay_ns;
}

bool Stamping::ArriveStamped(RoomyFrame& frame, const StampPlace& place, const Stamp& stamp,
                             uint64_t now_ns) {
  const uint64_t age_ns = (now_ns - stamp.first_ns) & kStampTimeMask;
  if (age_ns > now_ns - start_ns_) return false;  // of another tester, or an earlier start
  const uint64_t sent_ns = now_ns - age_ns;
  const uint64_t number = stamp.second_ns >> 1;
  // The device has returned it to the sender: this direction does not miss it.
  const bool turned = (stamp.second_ns & 1) != direction_;
  if (number == 0 || (!turned && number > last_number_)) return false;
  if (plan_.remove) {
    RemoveStamp(frame, place);
  } else if (!turned) {
    CompleteStamp(frame, place, now_ns & kStampTimeMask);
  }
  if (turned) return true;
  const CameBack::Back back = came_back_.Take(number);
  if (back == CameBack::Back::kForgotten) {
    CountOne(counters_.unstamped);
  } else if (back == CameBack::Back::kAgain) {
    CountOdd(counters_.duplicated, &StampFlowOddities::duplicated, stamp.flow);
  } else if (age_ns > plan_.timeout_ns) {
    CountOdd(counters_.late, &StampFlowOddities::late, stamp.flow);
  } else {
    CountReceived({.sent_ns = sent_ns, .flow = stamp.flow}, now_ns, true);
  }
  return true;
}

void Stamping::CountOdd(Counter& all, Counter StampFlowOddities::*of_flow, uint32_t flow) {
  CountOne(all);
  if (flow < flows_.count()) CountOne(flows_.oddities(flow).*of_flow);
}

void Stamping::ArriveMatched(const UnderWay::Found& found, uint64_t now_ns) {
  switch (found.back) {
    case UnderWay::Back::kFound:
    case UnderWay::Back::kAmbiguous:
      return CountReceived({.sent_ns = found.sent_ns, .flow = found.flow}, now_ns,
                           found.back == UnderWay::Back::kFound);
    case UnderWay::Back::kDuplicated:
      return CountOdd(counters_.duplicated, &StampFlowOddities::duplicated, found.flow);
    case UnderWay::Back::kLate:
      return CountOdd(counters_.late, &StampFlowOddities::late, found.flow);
    case UnderWay::Back::kUnknown:
      return;  // counted where its headers are known
  }
}

void Stamping::Arrive(std::span<RoomyFrame> frames, uint64_t now_ns) {
  if (under_way_) return Match(frames, now_ns);
  std::array<std::optional<Stamp>, kBurst> stamps;
  for (size_t i = 0; i < frames.size(); ++i) {
    const StampPlace& place = places_[i];
    FindBehind(frames[i].frame(), places_[i]);
    std::optional<Stamp>& stamp = stamps[i];
    if (place.found()) stamp = ReadStamp(frames[i].frame(), place);
    if (stamp && stamp->flow < flows_.count()) {
      flows_.PrefetchFlow(stamp->flow);
      const uint64_t age_ns = (now_ns - stamp->first_ns) & kStampTimeMask;
      if (const Histogram* const histogram = flows_.histogram(stamp->flow))
        histogram->Prefetch(age_ns);
    }
  }
  for (size_t i = 0; i < frames.size(); ++i) {
    if (!stamps[i] || !ArriveStamped(frames[i], places_[i], *stamps[i], now_ns)) {
      CountUnknown(frames[i].frame(), places_[i]);
    }
  }
}

// Each step runs for all frames, so that the memory for the next step is prefetched.
void Stamping::Match(std::span<const RoomyFrame> frames, uint64_t now_ns) {
  std::array<uint64_t, kBurst> keys;
  std::array<UnderWay::Found, kBurst> found;
  for (size_t i = 0; i < frames.size(); ++i) {
    const Frame frame = frames[i].frame();
    StampPlace& place = places_[i];
    FindBehind(frame, place);
    keys[i] = place.found() && place.whole ? kept_.Of(frame, place) : 0;
    under_way_->Prefetch(keys[i]);
  }
  for (size_t i = 0; i < frames.size(); ++i) {
    found[i] = under_way_->Leave(keys[i], now_ns);
    if (found[i].flow >= flows_.count()) continue;
    flows_.PrefetchFlow(found[i].flow);
    if (const Histogram* const histogram = flows_.histogram(found[i].flow))
      histogram->Prefetch(now_ns - found[i].sent_ns);
  }
  for (size_t i = 0; i < frames.size(); ++i) {
    ArriveMatched(found[i], now_ns);
    if (found[i].back == UnderWay::Back::kUnknown) [[unlikely]] {
      CountUnknown(frames[i].frame(), places_[i]);
    }
  }
}

}  // namespace tester
