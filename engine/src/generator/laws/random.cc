// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/laws/random.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/random_numbers.h"
#include "base/saturate.h"

namespace tester {
namespace {

constexpr double kOverAll = 0x1p-64;
// The largest double that may become a number of nanoseconds.
constexpr double kLongestNs = 0x1p62;

// The whole nanoseconds of a time and of the fraction carried from earlier times.
uint64_t Whole(double time_ns, double& below_ns) {
  const double exact = std::min(time_ns + below_ns, kLongestNs);
  const double whole = std::floor(exact);
  below_ns = exact - whole;
  return static_cast<uint64_t>(whole);
}

// -mean * ln(1 - u) with u = number / 2^64; finite for every number.
double ExponentialTime(double mean_ns, uint64_t number) {
  return -mean_ns * std::log((static_cast<double>(~number) + 1.0) * kOverAll);
}

void Advance(LawPlace& place, uint64_t gap_ns) {
  ++place.frame;
  place.last_due_ns = place.due_ns;
  place.due_ns = AddSaturating(place.due_ns, gap_ns);
}

// The most renewals with gaps of this mean and standard deviation: four standard deviations above
// the mean.
uint64_t MostRenewals(double window_ns, double mean_ns, double deviation_ns) {
  const double mean = window_ns / mean_ns;
  const double most = mean + 4 * deviation_ns / mean_ns * std::sqrt(mean) + 1;
  return static_cast<uint64_t>(std::min(most, kLongestNs));
}

}  // namespace

uint64_t Exponential::MostDue(uint64_t window_ns) const {
  return MostRenewals(static_cast<double>(window_ns), mean_ns_, mean_ns_);
}

uint64_t Quantiles::MostDue(uint64_t window_ns) const {
  double mean = 0;
  double square = 0;
  for (size_t i = 1; i < gaps_ns_.size(); ++i) {
    const double a = gaps_ns_[i - 1];
    const double b = gaps_ns_[i];
    const double share = probabilities_[i] - probabilities_[i - 1];
    mean += share * (a + b) / 2;
    square += share * (a * a + a * b + b * b) / 3;
  }
  const double variance = std::max(0.0, square - mean * mean);
  return MostRenewals(static_cast<double>(window_ns), mean, std::sqrt(variance));
}

void Exponential::Step(LawPlace& place) const {
  const double gap_ns = ExponentialTime(mean_ns_, RandomNumber(seed_, place.frame));
  Advance(place, Whole(gap_ns, place.below_ns));
}

Quantiles::Quantiles(uint64_t seed, std::vector<double> probabilities, std::vector<double> gaps_ns)
    : seed_(seed), probabilities_(std::move(probabilities)), gaps_ns_(std::move(gaps_ns)) {}

void Quantiles::Step(LawPlace& place) const {
  const double u = static_cast<double>(RandomNumber(seed_, place.frame)) * kOverAll;
  // The first point above u; the last one where u is 1 as a double.
  const auto after = std::upper_bound(probabilities_.begin() + 1, probabilities_.end() - 1, u);
  const auto i = static_cast<size_t>(after - probabilities_.begin());
  const double run = probabilities_[i] - probabilities_[i - 1];
  const double share = run > 0 ? (u - probabilities_[i - 1]) / run : 1.0;
  const double gap_ns = gaps_ns_[i - 1] + share * (gaps_ns_[i] - gaps_ns_[i - 1]);
  Advance(place, Whole(gap_ns, place.below_ns));
}

uint64_t OnOff::Draw(LawPlace& place, double mean_ns) const {
  return Whole(ExponentialTime(mean_ns, RandomNumber(seed_, place.draw++)), place.below_ns);
}

void OnOff::FindDue(LawPlace& place) const {
  const uint64_t virtual_ns = DueTime(rate_, place.frame);
  while (virtual_ns >= place.talk_end_ns && place.talk_end_ns != kNever) {
    place.silent_ns = AddSaturating(place.silent_ns, Draw(place, off_mean_ns_));
    place.talk_end_ns = AddSaturating(place.talk_end_ns, Draw(place, on_mean_ns_));
  }
  place.due_ns = AddSaturating(virtual_ns, place.silent_ns);
}

LawPlace OnOff::Begin() const {
  LawPlace place;
  place.talk_end_ns = Draw(place, on_mean_ns_);
  FindDue(place);
  return place;
}

void OnOff::Step(LawPlace& place) const {
  ++place.frame;
  place.last_due_ns = place.due_ns;
  FindDue(place);
}

}  // namespace tester
