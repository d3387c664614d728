// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/flows/wheel.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>

#include "base/random_numbers.h"

namespace tester::machine {
namespace {

constexpr uint32_t kFlows = 200;

class WheelTest : public testing::Test {
 protected:
  WheelTest() {
    for (uint32_t i = 0; i < kFlows; ++i) {
      FreshFlow flow;
      flow.identity.key[0] = static_cast<uint8_t>(i);
      table.Insert(flow, table.Hash(flow.identity.key));
    }
  }

  // The next flow that is due by its owner's time; a flow that wakes too early is armed again.
  template <typename DueOf>
  uint32_t NextDue(uint32_t now_us, DueOf due_of) {
    for (uint32_t found; (found = wheel.Next(now_us)) != kNoFlow;) {
      const std::optional<uint32_t> due_us = due_of(found);
      if (!due_us) continue;
      if (*due_us == wheel.now_us()) return found;
      EXPECT_LT(static_cast<int32_t>(wheel.now_us() - *due_us), 0);
      wheel.Arm(found, *due_us);
    }
    return kNoFlow;
  }

  FlowTable table{kFlows, 4, 0, 1};
  Wheel wheel{table};
};

TEST_F(WheelTest, WakesWhenItIsTimeAndNotBefore) {
  for (const uint32_t due :
       {1U, 255U, 256U, 257U, 65'535U, 65'536U, 70'000U, 1U << 24, (1U << 31) - 1}) {
    wheel.Arm(3, wheel.now_us() + due);
    const uint32_t at = wheel.now_us() + due;
    const auto due_of = [at](uint32_t) { return std::optional(at); };
    EXPECT_EQ(NextDue(at - 1, due_of), kNoFlow) << due;
    EXPECT_EQ(wheel.now_us(), at - 1);
    EXPECT_EQ(NextDue(at, due_of), 3U) << due;
    EXPECT_EQ(kSlot.Get(table[3].words), 0U);
    EXPECT_EQ(wheel.Next(at), kNoFlow);
  }
}

// Compared with a map of times, over more than one turn of the clock. A stopped flow stays in the
// wheel; when it is started again it may have to move forward.
TEST_F(WheelTest, AgreesWithAMap) {
  std::map<uint64_t, std::set<uint32_t>> due;
  std::map<uint32_t, uint64_t> of;
  uint64_t now = 0;
  uint64_t draw = 0;
  const auto random = [&draw] { return RandomNumber(7, draw++); };
  for (int step = 0; step < 30'000; ++step) {
    const auto index = static_cast<uint32_t>(random() % kFlows);
    if (of.contains(index)) {
      due[of[index]].erase(index);
      of.erase(index);
    } else {
      const uint64_t at = now + 1 + (random() & ((uint64_t{1} << random() % 32) - 1)) % INT32_MAX;
      wheel.Arm(index, static_cast<uint32_t>(at));
      due[at].insert(index);
      of[index] = at;
    }
    const uint64_t end = now + random() % 1'000'000;
    const auto due_of = [&of](uint32_t index) {
      const auto at = of.find(index);
      return at == of.end() ? std::nullopt : std::optional(static_cast<uint32_t>(at->second));
    };
    for (uint32_t found; (found = NextDue(static_cast<uint32_t>(end), due_of)) != kNoFlow;) {
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
