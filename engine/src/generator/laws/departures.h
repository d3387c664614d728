// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// When the frames of a stream are due: one of the laws of plan.proto, asked once a burst.
// Immutable; how far a stream is in its law is in a LawPlace, which belongs to the worker.
#pragma once

#include <cstdint>
#include <variant>

#include "generator/laws/law_place.h"
#include "generator/laws/profile.h"
#include "generator/laws/random.h"
#include "generator/laws/replayed.h"
#include "generator/laws/script.h"
#include "generator/laws/steady.h"

namespace tester {

class Departures {
 public:
  using Law = std::variant<Steady, Profile, Script, Exponential, Quantiles, OnOff, Replayed>;

  // The most frames that a frame-by-frame law counts in one call.
  static constexpr uint64_t kMostSteps = 512;

  Departures(uint64_t offset_ns, Law law);

  // From the start, or the update, to the begin of the law, which all other times here count from.
  uint64_t offset_ns() const { return offset_ns_; }

  // Whether the times of frames are read from a file, with the frames.
  bool is_replay() const { return std::holds_alternative<Replayed>(law_); }

  LawPlace Begin() const;
  // Moves to the first frame that is not due in [0, elapsed_ns]; a law that goes frame by frame may
  // be called again, as long as place.due_ns <= elapsed_ns.
  void PassDue(LawPlace& place, uint64_t elapsed_ns) const;
  // Counts the frames due in [0, end_ns). False: call again.
  bool PassBefore(LawPlace& place, uint64_t end_ns) const;
  // The most frames that are due in any window of this length. For random laws: in all but one
  // window of some ten thousand. For a replay: 0, as its file is not read here.
  uint64_t MostDue(uint64_t window_ns) const;
  // Moves `frames` frames on, at most kMostSteps.
  void Step(LawPlace& place, uint64_t frames) const;

 private:
  uint64_t offset_ns_;
  Law law_;
};

}  // namespace tester
