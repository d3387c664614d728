// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/due_queue.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace tester {
namespace {

TEST(DueQueue, GivesTheEarliestFirstWhateverHappens) {
  constexpr uint32_t kStreams = 1000;
  DueQueue queue(kStreams);
  std::multiset<uint64_t> naive;
  std::mt19937 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
  const auto push = [&](uint64_t due_ns, uint32_t index) {
    queue.Push({.due_ns = due_ns, .index = index});
    naive.insert(due_ns);
  };
  for (uint32_t i = 0; i < kStreams; ++i) push(random() % 500, i);  // many are due together
  for (int i = 0; i < 20'000; ++i) {
    const DueQueue::Item item = queue.Top();
    ASSERT_EQ(item.due_ns, *naive.begin());
    std::set<uint32_t> seconds;
    for (const auto& second : queue.Seconds()) seconds.insert(second.index);
    queue.Pop();
    naive.erase(naive.begin());
    ASSERT_TRUE(seconds.contains(queue.Top().index));
    push(item.due_ns + random() % 1000, item.index);
  }
  std::set<uint32_t> seen;
  for (; !queue.Empty(); queue.Pop()) {
    ASSERT_EQ(queue.Top().due_ns, *naive.begin());
    naive.erase(naive.begin());
    EXPECT_TRUE(seen.insert(queue.Top().index).second);
  }
  EXPECT_EQ(seen.size(), kStreams);
}

}  // namespace
}  // namespace tester
