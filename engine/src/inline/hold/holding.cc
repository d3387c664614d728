// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/hold/holding.h"

#include <algorithm>
#include <variant>

#include "base/saturate.h"

namespace tester {
namespace {

bool Holds(const PacketAction& action) {
  return std::holds_alternative<DelayPacket>(action) ||
         std::holds_alternative<ReorderPacket>(action);
}

// Whether an event, or the impairment, holds frames of the direction.
bool HoldsAny(const PathPlan& plan, size_t direction) {
  const auto& impairment = plan.impairments[direction];
  if (impairment && impairment->holds()) return true;
  return std::ranges::any_of(plan.events, [direction](const EventPlan& event) {
    return Heads(event.heading, direction) && Holds(event.action);
  });
}

LossPlan LossOf(const std::optional<ImpairmentPlan>& impairment) {
  return impairment ? impairment->loss : LossPlan{};
}

}  // namespace

Holding::Holding(const PathPlan& plan, size_t direction, Events& events,
                 PathDirectionCounters& counters)
    : events_(events),
      counters_(counters),
      direction_(direction),
      loss_(LossOf(plan.impairments[direction])),
      store_(HoldsAny(plan, direction) ? plan.hold_bytes : 0),
      queue_(store_.blocks()) {
  held_back_.reserve(kMostHeldBack);
  const auto& impairment = plan.impairments[direction];
  if (!impairment) return;
  if (impairment->shaper) shaper_.emplace(*impairment->shaper);
  if (!impairment->delay.quantiles_ns.empty()) delay_.emplace(impairment->delay);
}

bool Holding::Needed(const PathPlan& plan, size_t direction) {
  return plan.impairments[direction].has_value() || HoldsAny(plan, direction);
}

Holding::HoldOutcome Holding::Take(Frame frame, const Treatment& treatment, uint64_t now_ns) {
  if (treatment.hold_back.frames != 0) [[unlikely]]
    return HoldBack(frame, treatment, now_ns);
  const HoldOutcome outcome = Send(frame, treatment, now_ns);
  const bool passes = outcome.fate == Fate::kPasses || outcome.fate == Fate::kHeld;
  if (passes && !held_back_.empty()) [[unlikely]]
    Pass(now_ns);
  return outcome;
}

Holding::HoldOutcome Holding::TakeCopy(Frame frame, const Treatment& treatment, uint64_t now_ns) {
  return Send(frame, treatment, now_ns);
}

Holding::Route Holding::Impair(const Sent& sent, uint64_t now_ns) {
  Route route{.fate = Fate::kPasses, .due_ns = now_ns, .overtaken = sent.overtaken};
  if (loss_.Loses()) {
    counters_.loss_drops.Add(1);
    route.fate = Fate::kLost;
    return route;
  }
  if (shaper_) {
    const auto leaves_ns = shaper_->Leaves(sent.bytes, now_ns);
    if (!leaves_ns) {
      counters_.tail_drops.Add(1);
      route.fate = Fate::kTailDropped;
      return route;
    }
    route.due_ns = *leaves_ns;
  }
  if (delay_) {
    route.due_ns = AddSaturating(route.due_ns, delay_->Next());
    route.overtaken |= delay_->overtaken();
  }
  route.due_ns = AddSaturating(route.due_ns, sent.delay_ns);
  // It stays behind ordered frames, even if these are due already.
  const bool waits = route.due_ns > now_ns || (!route.overtaken && queue_.has_ordered());
  if (waits) route.fate = Fate::kHeld;
  return route;
}

uint64_t Holding::Push(FrameStore::Stored stored, const Route& route) {
  if (!route.overtaken) return queue_.PushOrdered(stored, route.due_ns);
  queue_.PushLoose(stored, route.due_ns);
  return route.due_ns;
}

Holding::HoldOutcome Holding::Send(Frame frame, const Treatment& treatment, uint64_t now_ns) {
  const Route route = Impair({.bytes = static_cast<uint32_t>(frame.size()),
                              .delay_ns = treatment.delay_ns,
                              .overtaken = treatment.overtaken},
                             now_ns);
  if (route.fate != Fate::kHeld) return {.fate = route.fate, .due_ns = 0};
  const auto stored = store_.Put(frame);
  if (!stored) [[unlikely]] {
    counters_.overflowed.Add(1);
    return {.fate = Fate::kOverflowed, .due_ns = 0};
  }
  const uint64_t due_ns = Push(*stored, route);
  CountHeld();
  return {.fate = Fate::kHeld, .due_ns = due_ns};
}

Holding::HoldOutcome Holding::HoldBack(Frame frame, const Treatment& treatment, uint64_t now_ns) {
  const auto stored =
      held_back_.size() < kMostHeldBack ? store_.Put(frame) : std::optional<FrameStore::Stored>{};
  if (!stored) {
    counters_.overflowed.Add(1);
    return {.fate = Fate::kOverflowed, .due_ns = 0};
  }
  const Treatment::HoldBack& wanted = treatment.hold_back;
  held_back_.push_back({.event = wanted.event,
                        .frames = wanted.frames,
                        .limit_ns = AddSaturating(now_ns, wanted.limit_ns),
                        .sent = {.bytes = stored->bytes,
                                 .delay_ns = treatment.delay_ns,
                                 .overtaken = treatment.overtaken},
                        .stored = *stored});
  next_limit_ns_ = std::min(next_limit_ns_, held_back_.back().limit_ns);
  events_.HoldBack(wanted.event, direction_);
  CountHeld();
  return {.fate = Fate::kHeld, .due_ns = 0};
}

void Holding::Release(const HeldBack& held, uint64_t now_ns) {
  events_.Release(held.event, direction_);
  Route route = Impair(held.sent, now_ns);
  if (route.fate == Fate::kLost || route.fate == Fate::kTailDropped) {
    store_.Drop(held.stored);
    return;
  }
  // A frame without delay leaves at the next look at the queue, behind the present frame.
  if (route.fate == Fate::kPasses) route.overtaken = true;
  Push(held.stored, route);
}

void Holding::Pass(uint64_t now_ns) {
  std::erase_if(held_back_, [&](HeldBack& held) {
    if (!events_.Saw(held.event) || --held.frames != 0) return false;
    Release(held, now_ns);
    return true;
  });
  FindNextLimit();
  CountHeld();
}

void Holding::Expire(uint64_t now_ns) {
  std::erase_if(held_back_, [&](const HeldBack& held) {
    if (held.limit_ns > now_ns) return false;
    events_.Expire(held.event);
    Release(held, now_ns);
    return true;
  });
  FindNextLimit();
  CountHeld();
}

void Holding::FindNextLimit() {
  next_limit_ns_ = HoldQueue::kNever;
  for (const HeldBack& held : held_back_) next_limit_ns_ = std::min(next_limit_ns_, held.limit_ns);
}

std::optional<HeldFrame> Holding::NextToLeave(uint64_t now_ns) {
  if (next_limit_ns_ <= now_ns) [[unlikely]]
    Expire(now_ns);
  const auto frame = queue_.Pop(now_ns);
  if (!frame) return std::nullopt;
  counters_.delayed.Add(1);
  CountHeld();
  return frame;
}

uint64_t Holding::next_due_ns() const { return std::min(queue_.next_due_ns(), next_limit_ns_); }

}  // namespace tester
