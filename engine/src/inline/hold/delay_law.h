// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// How long an impairment delays frames: a constant, or values of a distribution by the inverse of
// its distribution function, as a line through its quantiles. They may be correlated, each with the
// one before it; their distribution is the same then (a Gaussian copula).
#pragma once

#include <cstdint>

#include "inline/path_plan.h"

namespace tester {

class DelayLaw {
 public:
  explicit DelayLaw(const DelayPlan& plan);

  // Of the next frame.
  uint64_t Next();
  bool overtaken() const { return plan_.overtaken; }

 private:
  // F^-1 at a place, of 2^64.
  uint64_t At(uint64_t place) const;
  uint64_t NextPlace();

  const DelayPlan plan_;
  const double weight_;  // of what is new in a frame
  double normal_ = 0;    // of the last frame, where they are correlated
  uint64_t frame_ = 0;
};

}  // namespace tester
