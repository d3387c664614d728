// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "base/normal.h"

#include <gtest/gtest.h>

namespace tester {
namespace {

TEST(Normal, HasItsKnownValues) {
  EXPECT_DOUBLE_EQ(NormalQuantile(0.5), 0);
  EXPECT_NEAR(NormalQuantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(NormalQuantile(0.025), -1.959963984540054, 1e-14);
  EXPECT_NEAR(NormalQuantile(0.999), 3.090232306167813, 1e-13);
  EXPECT_NEAR(NormalQuantile(1e-12), -7.034483825301131, 1e-12);
  EXPECT_NEAR(NormalQuantile(1e-300), -37.0471, 1e-3);
  EXPECT_NEAR(NormalProbability(1), 0.8413447460685429, 1e-15);
}

TEST(Normal, AQuantileIsTheInverseOfAProbability) {
  for (int i = 1; i < 100'000; ++i) {
    const double p = i / 1e5;
    ASSERT_NEAR(NormalProbability(NormalQuantile(p)), p, 1e-15 * 20) << p;
  }
}

}  // namespace
}  // namespace tester
