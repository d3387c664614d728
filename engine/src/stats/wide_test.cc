// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "stats/wide.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace tester {
namespace {

using Value = WideCounter::Value;

TEST(WideCounter, CarriesIntoTheHighWord) {
  WideCounter counter;
  EXPECT_EQ(counter.Get(), (Value{0, 0}));
  counter.Add(UINT64_MAX);
  EXPECT_EQ(counter.Get(), (Value{0, UINT64_MAX}));
  counter.Add(2);
  EXPECT_EQ(counter.Get(), (Value{1, 1}));
  counter.Add(UINT64_MAX);
  EXPECT_EQ(counter.Get(), (Value{2, 0}));
}

// Each Add carries or is just about to: half of a carry would be a value that is not 3 * n * 2^62.
TEST(WideCounter, NobodySeesHalfOfACarry) {
  constexpr uint64_t kQuarter = uint64_t{1} << 62;
  WideCounter counter;
  std::atomic<bool> end{false};
  std::thread writer([&] {
    for (int i = 0; i < 400'000; ++i) counter.Add(3 * kQuarter);
    end = true;
  });
  uint64_t last = 0;
  bool rises = true;
  while (!end) {
    const Value value = counter.Get();
    const uint64_t quarters = value.high * 4 + value.low / kQuarter;
    rises = rises && quarters % 3 == 0 && quarters >= last;
    last = quarters;
  }
  writer.join();
  EXPECT_TRUE(rises) << "at " << last;
  EXPECT_EQ(counter.Get(), (Value{300'000, 0}));
}

}  // namespace
}  // namespace tester
