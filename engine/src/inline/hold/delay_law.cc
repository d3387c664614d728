// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/hold/delay_law.h"

#include <cmath>

#include "base/int128.h"
#include "base/normal.h"
#include "base/random_numbers.h"

namespace tester {
namespace {

constexpr double kTwoToThe52 = 0x1p52;
constexpr double kTwoToThe64 = 0x1p64;

// Neither 0 nor 1.
double Fraction(uint64_t random) { return (static_cast<double>(random >> 12) + 0.5) / kTwoToThe52; }

}  // namespace

DelayLaw::DelayLaw(const DelayPlan& plan)
    : plan_(plan), weight_(std::sqrt(1 - plan.correlation * plan.correlation)) {}

uint64_t DelayLaw::Next() {
  const auto& points = plan_.quantiles_ns;
  if (points.size() < 2) return points.empty() ? 0 : points.front();
  return At(NextPlace());
}

uint64_t DelayLaw::NextPlace() {
  const uint64_t random = RandomNumber(plan_.seed, frame_++);
  if (plan_.correlation == 0) return random;
  const double fresh = NormalQuantile(Fraction(random));
  const bool first = frame_ == 1;
  normal_ = first ? fresh : plan_.correlation * normal_ + weight_ * fresh;
  const double place = NormalProbability(normal_) * kTwoToThe64;
  return place < kTwoToThe64 ? static_cast<uint64_t>(place) : UINT64_MAX;
}

uint64_t DelayLaw::At(uint64_t place) const {
  const auto& points = plan_.quantiles_ns;
  const Uint128 scaled = Uint128{place} * (points.size() - 1);
  const auto point = static_cast<size_t>(scaled >> 64);
  const Uint128 rest = scaled & UINT64_MAX;
  const uint64_t from = points[point];
  return from + static_cast<uint64_t>((points[point + 1] - from) * rest >> 64);
}

}  // namespace tester
