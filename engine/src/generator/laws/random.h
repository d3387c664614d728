// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Random laws, the same for the same seed: independent gaps by the inverse of their distribution
// function (hypertester section 5.1), and talk spurts at a constant rate with silence in between.
// They advance frame by frame: each due time follows from the one before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/rate.h"
#include "generator/laws/law_place.h"

namespace tester {

// Poisson arrivals: gap k is -mean * ln(1 - u).
class Exponential {
 public:
  Exponential(uint64_t seed, double mean_ns) : seed_(seed), mean_ns_(mean_ns) {}
  uint64_t MostDue(uint64_t window_ns) const;
  LawPlace Begin() const { return {}; }
  void Step(LawPlace& place) const;

 private:
  uint64_t seed_;
  double mean_ns_;
};

// Gap k is on the line from point to point of F^-1.
class Quantiles {
 public:
  // Probabilities from 0 to 1 and gaps of at least 0. Neither ever falls. Both have the same
  // length, at least two.
  Quantiles(uint64_t seed, std::vector<double> probabilities, std::vector<double> gaps_ns);
  uint64_t MostDue(uint64_t window_ns) const;
  LawPlace Begin() const { return {}; }
  void Step(LawPlace& place) const;

 private:
  uint64_t seed_;
  std::vector<double> probabilities_;
  std::vector<double> gaps_ns_;
};

// Frames are due in virtual time, which stands still while it is off; on and off last for
// exponential times. Both means are at least 1 ns, and the time of talk is not so short that
// thousands of talks pass between two frames.
class OnOff {
 public:
  OnOff(uint64_t seed, const Rate& rate, double on_mean_ns, double off_mean_ns)
      : seed_(seed), rate_(rate), on_mean_ns_(on_mean_ns), off_mean_ns_(off_mean_ns) {}
  // While it talks.
  uint64_t MostDue(uint64_t window_ns) const { return DueBefore(rate_, window_ns); }
  LawPlace Begin() const;
  void Step(LawPlace& place) const;

 private:
  uint64_t Draw(LawPlace& place, double mean_ns) const;
  void FindDue(LawPlace& place) const;

  uint64_t seed_;
  Rate rate_;
  double on_mean_ns_;
  double off_mean_ns_;
};

}  // namespace tester
