// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/laws/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random_numbers.h"
#include "generator/laws/departures.h"

namespace tester {
namespace {

constexpr uint64_t kSeed = 42;

std::vector<uint64_t> Times(const Departures& law, uint64_t frames) {
  std::vector<uint64_t> times;
  for (LawPlace place = law.Begin(); place.frame < frames; law.Step(place, 1)) {
    times.push_back(place.due_ns);
  }
  return times;
}

double MeanGap(const Departures& law, uint64_t frames) {
  return static_cast<double>(Times(law, frames).back()) / static_cast<double>(frames - 1);
}

// The first numbers that Vigna's own program prints for this seed.
TEST(RandomNumber, IsSplitMix64) {
  EXPECT_EQ(RandomNumber(1234567, 0), 6457827717110365317U);
  EXPECT_EQ(RandomNumber(1234567, 1), 3203168211198807973U);
  EXPECT_EQ(RandomNumber(1234567, 2), 9817491932198370423U);
}

TEST(Exponential, GapsAreInverseTransformsCarriedOn) {
  const Departures law(0, Exponential(kSeed, 1000.5));
  const auto times = Times(law, 1000);
  double exact = 0;
  EXPECT_EQ(times[0], 0U);
  for (uint64_t k = 0; k + 1 < times.size(); ++k) {
    const double u = static_cast<double>(RandomNumber(kSeed, k)) / 0x1p64;
    exact += -1000.5 * std::log(1 - u);
    EXPECT_NEAR(static_cast<double>(times[k + 1]), exact, 1.01) << "nothing adds up";
  }
}

TEST(Exponential, HasItsMeanAndCoefficientOfVariation) {
  const Departures law(0, Exponential(kSeed, 1000));
  const auto times = Times(law, 100'001);
  double squares = 0;
  for (size_t k = 1; k < times.size(); ++k) {
    squares += std::pow(static_cast<double>(times[k] - times[k - 1]) / 1000, 2);
  }
  EXPECT_NEAR(MeanGap(law, 100'001), 1000, 10);
  EXPECT_NEAR(squares / 100'000, 2, 0.06) << "1 + 1 for an exponential distribution";
}

TEST(Quantiles, AreLinesFromPointToPoint) {
  // Half of the gaps are 100, the others between 200 and 400: 200 on average.
  const Departures law(0, Quantiles(kSeed, {0, 0.5, 0.5, 1}, {100, 100, 200, 400}));
  const auto times = Times(law, 100'001);
  uint64_t short_ones = 0;
  for (size_t k = 1; k < times.size(); ++k) {
    const uint64_t gap = times[k] - times[k - 1];
    const double u = static_cast<double>(RandomNumber(kSeed, k - 1)) / 0x1p64;
    EXPECT_NEAR(static_cast<double>(gap), u < 0.5 ? 100 : 200 + (u - 0.5) * 400, 1.01);
    short_ones += gap == 100 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(short_ones), 50'000, 600);
  EXPECT_NEAR(MeanGap(law, 100'001), 200, 2);
}

TEST(OnOff, TalksAtItsRateAndIsSilent) {
  const double on_ns = 10'000;
  const double off_ns = 30'000;
  const Departures law(0, OnOff(kSeed, {.packets = 1, .nanoseconds = 100}, on_ns, off_ns));
  const auto times = Times(law, 200'001);
  EXPECT_EQ(times[0], 0U) << "it begins talking";
  EXPECT_NEAR(MeanGap(law, 200'001), 400, 20);
  uint64_t pauses = 0;
  for (size_t k = 1; k < times.size(); ++k) {
    const uint64_t gap = times[k] - times[k - 1];
    EXPECT_GE(gap, 100U);
    pauses += gap > 100 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(pauses), 200'000 * 100 / on_ns, 150);
  // The first talk and the first silence, as plan.proto says.
  const auto time = [](double mean, uint64_t j) {
    return -mean * std::log(1 - static_cast<double>(RandomNumber(kSeed, j)) / 0x1p64);
  };
  const auto first = static_cast<uint64_t>(time(on_ns, 0));
  const uint64_t frames = first / 100 + 1;  // due before the end of the first talk
  EXPECT_EQ(times[frames - 1], (frames - 1) * 100);
  EXPECT_NEAR(static_cast<double>(times[frames]),
              static_cast<double>(frames) * 100 + time(off_ns, 1), 2);
}

// However it is asked, the answers are the same.
TEST(RandomLaws, CountAndStepAlike) {
  const std::vector<Departures> laws = {
      {0, Exponential(kSeed, 50)},
      {0, Quantiles(kSeed, {0, 1}, {0, 90})},
      {0, OnOff(kSeed, {.packets = 1, .nanoseconds = 20}, 300, 200)}};
  for (const auto& law : laws) {
    const auto times = Times(law, 20'000);
    LawPlace counted = law.Begin();
    uint64_t calls = 0;
    for (uint64_t now = 0; counted.frame < 15'000; now += 7'919) {
      do {
        law.PassDue(counted, now);
        ++calls;
      } while (counted.due_ns <= now);
      const auto due = static_cast<uint64_t>(std::ranges::upper_bound(times, now) - times.begin());
      ASSERT_EQ(counted.frame, due);
      ASSERT_EQ(counted.due_ns, times[due]);
      ASSERT_EQ(counted.last_due_ns, times[due - 1]);
    }
    LawPlace before = law.Begin();
    while (!law.PassBefore(before, times[9000])) ++calls;
    EXPECT_LE(times[before.frame - 1], times[9000] - 1);
    EXPECT_GE(times[before.frame], times[9000]);
    EXPECT_GE(calls, 9000 / Departures::kMostSteps) << "never more than so many steps at once";
  }
}

}  // namespace
}  // namespace tester
