// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/laws/replayed.h"

namespace tester {

// A frame that is not read yet might be due as soon as the one before.
void Replayed::Look(LawPlace& place) const {
  const uint64_t due_ns = feed_->DueNs(place.frame);
  place.is_known = due_ns != ReplayFeed::kNotYet;
  place.due_ns = place.is_known ? due_ns : place.last_due_ns;
}

LawPlace Replayed::Begin() const {
  LawPlace place;
  Look(place);
  return place;
}

void Replayed::PassDue(LawPlace& place, uint64_t elapsed_ns, uint64_t most) const {
  if (!place.is_known) Look(place);
  for (uint64_t i = 0; i < most && place.is_known && place.due_ns <= elapsed_ns; ++i) Step(place);
}

void Replayed::Step(LawPlace& place) const {
  if (!place.is_known) Look(place);
  ++place.frame;
  place.last_due_ns = place.due_ns;
  Look(place);
}

}  // namespace tester
