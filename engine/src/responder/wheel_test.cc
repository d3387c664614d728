// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/wheel.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "generator/random_numbers.h"

namespace tester::machine {
namespace {

constexpr uint32_t kFlows = 200;

class WheelTest : public testing::Test {
 protected:
  WheelTest() {
    for (uint32_t i = 0; i < kFlows; ++i) {
      Flow flow;
      flow.key[0] = static_cast<uint8_t>(i);
      table.Insert(flow, table.Hash(flow.key));
    }
  }

  FlowTable table{kFlows, 4, 1};
  Wheel wheel{table};
};

TEST_F(WheelTest, WakesWhenItIsTimeAndNotBefore) {
  for (const uint32_t due :
       {1U, 255U, 256U, 257U, 65'535U, 65'536U, 70'000U, 1U << 24, (1U << 31) - 1}) {
    wheel.Arm(3, wheel.now_us() + due);
    const uint32_t at = wheel.now_us() + due;
    EXPECT_EQ(wheel.Next(at - 1), kNoFlow) << due;
    EXPECT_EQ(wheel.now_us(), at - 1);
    EXPECT_EQ(wheel.Next(at), 3U) << due;
    EXPECT_FALSE(table[3].armed);
    EXPECT_EQ(wheel.Next(at), kNoFlow);
  }
}

// Against a map of times, over more than one turn of the clock.
TEST_F(WheelTest, AgreesWithAMap) {
  std::map<uint64_t, std::set<uint32_t>> due;
  std::map<uint32_t, uint64_t> of;
  uint64_t now = 0;
  uint64_t draw = 0;
  const auto random = [&draw] { return RandomNumber(7, draw++); };
  for (int step = 0; step < 30'000; ++step) {
    const auto index = static_cast<uint32_t>(random() % kFlows);
    if (of.contains(index)) {
      wheel.Disarm(index);
      due[of[index]].erase(index);
      of.erase(index);
    } else {
      const uint64_t at = now + (random() & ((uint64_t{1} << random() % 32) - 1)) % INT32_MAX;
      wheel.Arm(index, static_cast<uint32_t>(at));
      due[at].insert(index);
      of[index] = at;
    }
    const uint64_t end = now + random() % 1'000'000;
    for (uint32_t found; (found = wheel.Next(static_cast<uint32_t>(end))) != kNoFlow;) {
      while (!due.empty() && due.begin()->second.empty()) due.erase(due.begin());
      ASSERT_FALSE(due.empty());
      ASSERT_EQ(static_cast<uint32_t>(due.begin()->first), wheel.now_us());
      ASSERT_EQ(due.begin()->second.erase(found), 1U);
      of.erase(found);
    }
    while (!due.empty() && due.begin()->second.empty()) due.erase(due.begin());
    ASSERT_TRUE(due.empty() || due.begin()->first > end);
    now = end;
  }
  EXPECT_GT(now, uint64_t{1} << 32);
}

}  // namespace
}  // namespace tester::machine
