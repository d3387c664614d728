// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/pacer.h"

#include <algorithm>

#include "generator/saturate.h"

namespace tester {

Pacer::Pacer(const Schedule& schedule) {
  counted_.place = sent_.place = schedule.leg(0).departures->Begin();
}

void Pacer::MoveOn(const Schedule& schedule, Position& position) {
  position.base = position.Frame();
  ++position.leg;
  position.place = schedule.leg(position.leg).departures->Begin();
}

uint64_t Pacer::OwedOfLeg() const {
  const uint64_t end = sent_.leg == counted_.leg ? intended_ : bases_[(sent_.leg + 1) % kMostLegs];
  return std::min(end, intended_) - sent_.Frame();
}

bool Pacer::Count(const Schedule& schedule, uint64_t now_ns) {
  for (;;) {
    const Leg& leg = schedule.leg(counted_.leg);
    const uint64_t law_ns = leg.LawNs();
    const uint64_t end_ns = schedule.EndOf(counted_.leg);
    const bool is_last = schedule.IsLast(counted_.leg);
    if (now_ns < end_ns) {
      if (now_ns >= law_ns) leg.departures->PassDue(counted_.place, now_ns - law_ns);
      return is_last && counted_.place.due_ns == kNever;
    }
    if (end_ns > law_ns && !leg.departures->PassBefore(counted_.place, end_ns - law_ns)) {
      return false;
    }
    if (is_last) return true;
    if (counted_.leg - sent_.leg == kMostLegs - 1) return false;
    MoveOn(schedule, counted_);
    bases_[counted_.leg % kMostLegs] = counted_.base;
  }
}

void Pacer::Look(const Schedule& schedule, uint64_t now_ns) {
  looked_ns_ = now_ns;
  const bool complete = Count(schedule, now_ns) || counted_.Frame() >= schedule.max_packets();
  intended_ = std::min(counted_.Frame(), schedule.max_packets());
  complete_ns_ = complete ? std::min(complete_ns_, now_ns) : kNever;
}

Pacer::Batch Pacer::Next(const Schedule& schedule, uint64_t now_ns, uint16_t most) {
  if (OwedOfLeg() < most || now_ns - looked_ns_ >= kLookNs) Look(schedule, now_ns);
  while (sent_.leg != counted_.leg && OwedOfLeg() == 0) MoveOn(schedule, sent_);
  const uint64_t owed = GivesUp(schedule, now_ns) ? 0 : OwedOfLeg();
  return {.leg = sent_.leg,
          .first = sent_.Frame(),
          .leg_first = sent_.base,
          .due_ns = AddSaturating(schedule.leg(sent_.leg).LawNs(), sent_.place.due_ns),
          .count = static_cast<uint16_t>(std::min<uint64_t>(owed, most))};
}

uint64_t Pacer::Sent(const Schedule& schedule, uint16_t count) {
  const Leg& leg = schedule.leg(sent_.leg);
  if (sent_.leg == counted_.leg && sent_.place.frame + count == counted_.place.frame) {
    sent_ = counted_;
  } else {
    leg.departures->Step(sent_.place, count);
  }
  return AddSaturating(leg.LawNs(), sent_.place.last_due_ns);
}

bool Pacer::GivesUp(const Schedule& schedule, uint64_t now_ns) const {
  return now_ns >= schedule.GiveUpNs(complete_ns_);
}

uint64_t Pacer::WakeNs(const Schedule& schedule, uint64_t now_ns) const {
  const bool owes = sent_.Frame() < intended_ && !GivesUp(schedule, now_ns);
  if (complete_ns_ != kNever && !owes) return kNever;
  const Position& next = owes ? sent_ : counted_;
  const uint64_t due_ns = AddSaturating(schedule.leg(next.leg).LawNs(), next.place.due_ns);
  return owes ? due_ns : std::min(due_ns, schedule.EndOf(next.leg));
}

}  // namespace tester
