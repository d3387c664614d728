// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The delays of an impairment: a constant, or values of a distribution by the inverse of its
// distribution function, a line through its quantiles. Each may be correlated with the one before
// it; the distribution stays the same (a Gaussian copula).
#pragma once

#include <cstdint>

#include "inline/path_plan.h"

namespace tester {

class DelayLaw {
 public:
  explicit DelayLaw(const DelayPlan& plan);

  // The delay of the next frame.
  uint64_t Next();
  bool overtaken() const { return plan_.overtaken; }

 private:
  // F^-1 at a place, of 2^64.
  uint64_t At(uint64_t place) const;
  uint64_t NextPlace();

  const DelayPlan plan_;
  const double weight_;  // the weight of the new random value
  double normal_ = 0;    // of the last frame, where they are correlated
  uint64_t frame_ = 0;
};

}  // namespace tester
