// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/pacer.h"

#include <algorithm>

#include "base/saturate.h"

namespace tester {

Pacer::Pacer(const Schedule& schedule) {
  counted_.place = sent_.place = schedule.segment(0).departures->Begin();
}

void Pacer::MoveOn(const Schedule& schedule, Position& position) {
  position.base = position.Frame();
  ++position.segment;
  position.place = schedule.segment(position.segment).departures->Begin();
}

uint64_t Pacer::OwedOfSegment() const {
  const uint64_t end =
      sent_.segment == counted_.segment ? intended_ : bases_[(sent_.segment + 1) % kMostSegments];
  return std::min(end, intended_) - sent_.Frame();
}

bool Pacer::Count(const Schedule& schedule, uint64_t now_ns) {
  for (;;) {
    const ScheduleSegment& segment = schedule.segment(counted_.segment);
    const uint64_t law_ns = segment.LawNs();
    const uint64_t end_ns = schedule.EndOf(counted_.segment);
    const bool is_last = schedule.IsLast(counted_.segment);
    if (now_ns < end_ns) {
      if (now_ns >= law_ns) segment.departures->PassDue(counted_.place, now_ns - law_ns);
      return is_last && counted_.place.due_ns == kNever;
    }
    if (end_ns > law_ns && !segment.departures->PassBefore(counted_.place, end_ns - law_ns)) {
      return false;
    }
    if (is_last) return true;
    if (counted_.segment - sent_.segment == kMostSegments - 1) return false;
    MoveOn(schedule, counted_);
    bases_[counted_.segment % kMostSegments] = counted_.base;
  }
}

void Pacer::Look(const Schedule& schedule, uint64_t now_ns) {
  looked_ns_ = now_ns;
  const bool complete = Count(schedule, now_ns) || counted_.Frame() >= schedule.max_packets();
  intended_ = std::min(counted_.Frame(), schedule.max_packets());
  complete_ns_ = complete ? std::min(complete_ns_, now_ns) : kNever;
}

// Frames that were due longer ago than kMostDebtNs are passed over. Their numbers go to the frames
// after them, so that the receiver does not take them for lost. A count of frames that was asked
// for is sent in full, and so is a file.
void Pacer::GiveUpDebt(const Schedule& schedule, uint64_t now_ns) {
  const ScheduleSegment& segment = schedule.segment(sent_.segment);
  const uint64_t law_ns = segment.LawNs();
  const uint64_t owed = OwedOfSegment();
  const uint64_t due_ns = AddSaturating(law_ns, sent_.place.due_ns);
  if (owed == 0 || AddSaturating(due_ns, kMostDebtNs) >= now_ns || schedule.counts_packets() ||
      segment.departures->is_replay()) {
    return;
  }
  LawPlace place = sent_.place;
  segment.departures->PassBefore(
      place, std::min(now_ns - kMostDebtNs, schedule.EndOf(sent_.segment)) - law_ns);
  // No more than are known to be due; counting them may take several looks.
  const uint64_t passed = std::min(place.frame - sent_.place.frame, owed);
  if (sent_.place.frame + passed == place.frame) {
    sent_.place = place;
  } else {
    segment.departures->Step(sent_.place, passed);
  }
  given_up_ += passed;
}

Pacer::PacedBatch Pacer::Next(const Schedule& schedule, uint64_t now_ns, uint16_t most) {
  if (OwedOfSegment() < most || now_ns - looked_ns_ >= kLookNs) Look(schedule, now_ns);
  GiveUpDebt(schedule, now_ns);
  while (sent_.segment != counted_.segment && OwedOfSegment() == 0) {
    MoveOn(schedule, sent_);
    given_up_before_ = given_up_;
    GiveUpDebt(schedule, now_ns);
  }
  const uint64_t owed = GivesUp(schedule, now_ns) ? 0 : OwedOfSegment();
  return {.segment = sent_.segment,
          .first = sent_.Frame() - given_up_,
          .segment_first = sent_.base - given_up_before_,
          .due_ns = AddSaturating(schedule.segment(sent_.segment).LawNs(), sent_.place.due_ns),
          .count = static_cast<uint16_t>(std::min<uint64_t>(owed, most))};
}

uint64_t Pacer::Sent(const Schedule& schedule, uint16_t count) {
  const ScheduleSegment& segment = schedule.segment(sent_.segment);
  if (sent_.segment == counted_.segment && sent_.place.frame + count == counted_.place.frame) {
    sent_ = counted_;
  } else {
    segment.departures->Step(sent_.place, count);
  }
  return AddSaturating(segment.LawNs(), sent_.place.last_due_ns);
}

bool Pacer::GivesUp(const Schedule& schedule, uint64_t now_ns) const {
  return now_ns >= schedule.GiveUpNs(complete_ns_);
}

uint64_t Pacer::WakeNs(const Schedule& schedule, uint64_t now_ns) const {
  const bool owes = sent_.Frame() < intended_ && !GivesUp(schedule, now_ns);
  if (complete_ns_ != kNever && !owes) return kNever;
  const Position& next = owes ? sent_ : counted_;
  const uint64_t due_ns = AddSaturating(schedule.segment(next.segment).LawNs(), next.place.due_ns);
  return owes ? due_ns : std::min(due_ns, schedule.EndOf(next.segment));
}

}  // namespace tester
