// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/hold/delay_law.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace tester {
namespace {

TEST(DelayLaw, APointIsAConstant) {
  DelayLaw law({.seed = 1, .quantiles_ns = {10'000}});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(law.Next(), 10'000U);
}

TEST(DelayLaw, ALineOfTwoPointsIsUniform) {
  const DelayPlan plan{.seed = 7, .quantiles_ns = {1'000'000, 3'000'000}};
  DelayLaw law(plan);
  DelayLaw again(plan);
  std::vector<uint64_t> delays;
  for (int i = 0; i < 100'000; ++i) {
    delays.push_back(law.Next());
    ASSERT_EQ(delays.back(), again.Next());
  }
  std::ranges::sort(delays);
  EXPECT_GE(delays.front(), 1'000'000U);
  EXPECT_LT(delays.back(), 3'000'000U);
  for (const size_t percent : {1U, 25U, 50U, 75U, 99U}) {
    EXPECT_NEAR(static_cast<double>(delays[percent * 1000]),
                1e6 + 2e4 * static_cast<double>(percent), 20'000);
  }
}

TEST(DelayLaw, QuantilesAreMet) {
  DelayLaw law({.seed = 3, .quantiles_ns = {0, 0, 100, 100, 5000}});
  size_t none = 0;
  size_t most = 0;
  for (int i = 0; i < 100'000; ++i) {
    const uint64_t delay_ns = law.Next();
    none += delay_ns == 0 ? 1U : 0U;
    most += delay_ns > 100 ? 1U : 0U;
    ASSERT_LT(delay_ns, 5000U);
  }
  EXPECT_NEAR(static_cast<double>(none), 25'250, 700);
  EXPECT_NEAR(static_cast<double>(most), 25'000, 700);
}

// The expected correlation of ranks with a Gaussian copula: 6 / pi * asin(r / 2).
double RankCorrelation(const std::vector<double>& ranks, size_t distance) {
  double sum = 0;
  for (size_t i = distance; i < ranks.size(); ++i) {
    sum += (ranks[i] - 0.5) * (ranks[i - distance] - 0.5);
  }
  return 12 * sum / static_cast<double>(ranks.size() - distance);
}

TEST(DelayLaw, CorrelationKeepsTheDistribution) {
  const DelayPlan plan{.seed = 7, .quantiles_ns = {0, 1'000'000}, .correlation = 0.8};
  DelayLaw law(plan);
  DelayLaw again(plan);
  std::vector<double> ranks;
  for (int i = 0; i < 200'000; ++i) {
    const uint64_t delay_ns = law.Next();
    ASSERT_EQ(delay_ns, again.Next());
    ranks.push_back(static_cast<double>(delay_ns) / 1e6);
  }
  const double rank = 6 / std::numbers::pi * std::asin(0.4);
  EXPECT_NEAR(RankCorrelation(ranks, 1), rank, 0.01);
  EXPECT_NEAR(RankCorrelation(ranks, 2), 6 / std::numbers::pi * std::asin(0.32), 0.015);
  std::ranges::sort(ranks);
  for (size_t percent = 1; percent < 100; ++percent) {
    EXPECT_NEAR(ranks[percent * 2'000], static_cast<double>(percent) / 100, 0.01);
  }
}

TEST(DelayLaw, WithoutCorrelationDelaysAreIndependent) {
  DelayLaw law({.seed = 7, .quantiles_ns = {0, 1'000'000}});
  std::vector<double> ranks;
  for (int i = 0; i < 200'000; ++i) ranks.push_back(static_cast<double>(law.Next()) / 1e6);
  EXPECT_NEAR(RankCorrelation(ranks, 1), 0, 0.01);
}

}  // namespace
}  // namespace tester
