// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/hold/loss_model.h"

#include <gtest/gtest.h>

#include <vector>

namespace tester {
namespace {

constexpr uint64_t Threshold(double probability) {
  return static_cast<uint64_t>(probability * 18446744073709551616.0);
}

std::vector<bool> Draw(const LossPlan& plan, size_t frames) {
  LossModel model(plan);
  std::vector<bool> lost;
  for (size_t i = 0; i < frames; ++i) lost.push_back(model.Loses());
  return lost;
}

double Share(const std::vector<bool>& lost) {
  return static_cast<double>(std::ranges::count(lost, true)) / static_cast<double>(lost.size());
}

TEST(LossModel, LosesNothingUnlessItIsAsked) {
  EXPECT_EQ(Share(Draw(NoLoss{}, 1000)), 0);
  EXPECT_EQ(Share(Draw(ByRatio{.seed = 1, .threshold = kAlways}, 1000)), 1);
}

TEST(LossModel, ARatioIsKeptAndRepeats) {
  const ByRatio ratio{.seed = 5, .threshold = Threshold(0.1)};
  const auto lost = Draw(ratio, 100'000);
  EXPECT_NEAR(Share(lost), 0.1, 0.005);  // five times the standard deviation
  EXPECT_EQ(lost, Draw(ratio, 100'000));
  EXPECT_NE(lost, Draw(ByRatio{.seed = 6, .threshold = Threshold(0.1)}, 100'000));
}

// p / (p + r) of the time is bad, for 1 / r frames each time.
TEST(LossModel, GilbertElliottLosesInBursts) {
  const GilbertElliottLoss plan{.seed = 9,
                                .to_bad = Threshold(0.01),
                                .to_good = Threshold(0.25),
                                .in_good = 0,
                                .in_bad = kAlways};
  const auto lost = Draw(plan, 1'000'000);
  EXPECT_NEAR(Share(lost), 0.01 / 0.26, 0.002);
  size_t bursts = 0;
  size_t frames = 0;
  for (size_t i = 1; i < lost.size(); ++i) {
    bursts += lost[i] && !lost[i - 1] ? 1U : 0U;
    frames += lost[i] ? 1U : 0U;
  }
  EXPECT_NEAR(static_cast<double>(frames) / static_cast<double>(bursts), 4, 0.2);
}

TEST(LossModel, GilbertElliottHasLossesOfItsTwoStates) {
  GilbertElliottLoss plan{.seed = 3,
                          .to_bad = Threshold(0.02),
                          .to_good = Threshold(0.02),
                          .in_good = Threshold(0.001),
                          .in_bad = Threshold(0.3)};
  EXPECT_NEAR(Share(Draw(plan, 1'000'000)), 0.1505, 0.01);
  plan.to_bad = 0;
  EXPECT_NEAR(Share(Draw(plan, 1'000'000)), 0.001, 0.0002) << "it begins in the good state";
  plan.to_bad = kAlways;
  plan.to_good = kAlways;
  plan.in_good = 0;
  plan.in_bad = kAlways;
  EXPECT_EQ(Draw(plan, 4), std::vector<bool>({false, true, false, true}));
}

}  // namespace
}  // namespace tester
