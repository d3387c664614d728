// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/timeline.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace tester {
namespace {

constexpr uint64_t kOne = uint64_t{1} << Line::kShift;  // a nanosecond per tick

TEST(Line, CountsFromWhereItIs) {
  const Line line{.ticks = 1000, .ns = 50, .multiplier = kOne / 2};
  EXPECT_EQ(line.At(1000), 50U);
  EXPECT_EQ(line.At(1003), 51U);
  EXPECT_EQ(line.At(1004), 52U);
  EXPECT_EQ(line.At(980), 40U);
}

// A year without another line, at 5 GHz.
TEST(Line, LastsForAYear) {
  constexpr uint64_t kYearNs = uint64_t{365} * 86'400 * 1'000'000'000;
  const Line line{.ticks = UINT64_MAX - 9, .ns = 0, .multiplier = kOne / 5};
  EXPECT_NEAR(static_cast<double>(line.At(kYearNs * 5 - 10)), static_cast<double>(kYearNs), 1e5);
}

TEST(Bend, GoesOnWhereTheLineBeforeHasComeTo) {
  const Line before{.ticks = 0, .ns = 7, .multiplier = kOne};
  const Bend bend{.before = before,
                  .after = {.ticks = 100, .ns = before.At(100), .multiplier = 2 * kOne}};
  EXPECT_EQ(bend.At(99), 106U);
  EXPECT_EQ(bend.At(100), 107U);
  EXPECT_EQ(bend.At(101), 109U);
}

// Every line that is published says n at tick n: half of one and half of another says something
// else.
TEST(Timeline, NobodySeesHalfOfABend) {
  constexpr uint64_t kBends = 1'000'000;
  constexpr uint64_t kTick = 10 * kBends;
  const auto line = [](uint64_t at) { return Line{.ticks = at, .ns = at, .multiplier = kOne}; };
  Timeline timeline(line(0));
  std::atomic<bool> end{false};
  std::thread writer([&] {
    for (uint64_t i = 0; i < kBends; ++i) timeline.Replace({.before = line(i), .after = line(i)});
    end = true;
  });
  uint64_t wrong = 0;
  while (!end) wrong += timeline.At(kTick) == kTick ? 0 : 1;
  writer.join();
  EXPECT_EQ(wrong, 0U);
}

}  // namespace
}  // namespace tester
