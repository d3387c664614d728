// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

namespace tester {
namespace {

TEST(Clock, RunsWithTheKernelsClock) {
  const Clock clock;
  const Clock::Reading first = clock.ReadBoth();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const Clock::Reading last = clock.ReadBoth();
  const auto engine_ns = static_cast<double>(last.engine_ns - first.engine_ns);
  const auto raw_ns = static_cast<double>(last.raw_ns - first.raw_ns);
  // The best of many looks: it takes 32 interruptions in a row to be wrong by this.
  EXPECT_LT(std::abs(engine_ns / raw_ns - 1), 1e-5);
}

// Several are adjusted on the way.
TEST(Clock, NeverGoesBack) {
  const Clock clock;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  uint64_t last_ns = 0;
  uint64_t backward = 0;
  do {
    for (int i = 0; i < 1000; ++i) {
      const uint64_t now_ns = clock.Now();
      backward += now_ns < last_ns ? 1 : 0;
      last_ns = now_ns;
    }
  } while (std::chrono::steady_clock::now() < end);
  EXPECT_EQ(backward, 0U);
}

}  // namespace
}  // namespace tester
