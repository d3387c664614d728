// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/hold/hold_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tester {
namespace {

FrameStore::Stored Numbered(uint32_t number) { return {.block = number, .bytes = 60}; }

std::vector<uint32_t> AllBy(HoldQueue& queue, uint64_t now_ns) {
  std::vector<uint32_t> left;
  while (const auto frame = queue.Pop(now_ns)) left.push_back(frame->stored.block);
  return left;
}

TEST(HoldQueue, ReleasesWhatIsDue) {
  HoldQueue queue(8);
  EXPECT_EQ(queue.next_due_ns(), HoldQueue::kNever);
  EXPECT_EQ(queue.PushOrdered(Numbered(1), 100), 100U);
  queue.PushLoose(Numbered(2), 50);
  EXPECT_EQ(queue.next_due_ns(), 50U);
  EXPECT_FALSE(queue.Pop(49));
  EXPECT_EQ(AllBy(queue, 50), std::vector<uint32_t>({2}));
  EXPECT_TRUE(queue.has_ordered());
  EXPECT_EQ(AllBy(queue, 1000), std::vector<uint32_t>({1}));
  EXPECT_EQ(queue.size(), 0U);
}

TEST(HoldQueue, AFloorKeepsTheOrder) {
  HoldQueue queue(8);
  queue.PushOrdered(Numbered(1), 100);
  EXPECT_EQ(queue.PushOrdered(Numbered(2), 20), 100U);
  EXPECT_EQ(queue.PushOrdered(Numbered(3), 101), 101U);
  queue.PushLoose(Numbered(4), 100);
  EXPECT_EQ(AllBy(queue, 200), std::vector<uint32_t>({1, 2, 4, 3}));
}

// For any delays: frames that keep their order leave in order, every frame leaves at its instant
// and not before, and none is lost.
TEST(HoldQueue, HoldsItsPromisesForAnyDelays) {
  std::mt19937 random(11);
  constexpr uint32_t kMost = 500;
  HoldQueue queue(kMost);
  std::vector<bool> ordered;
  std::vector<uint64_t> least;
  std::vector<uint32_t> left;
  uint64_t now_ns = 0;
  uint64_t last_due_ns = 0;
  const auto release = [&] {
    last_due_ns = 0;
    while (const auto frame = queue.Pop(now_ns)) {
      EXPECT_LE(frame->due_ns, now_ns);
      EXPECT_GE(frame->due_ns, least[frame->stored.block]);
      EXPECT_GE(frame->due_ns, last_due_ns);
      last_due_ns = frame->due_ns;
      left.push_back(frame->stored.block);
    }
    EXPECT_GT(queue.next_due_ns(), now_ns);
  };
  for (int round = 0; round < 50'000; ++round) {
    now_ns += random() % 40;
    if (queue.size() < kMost) {
      const auto number = static_cast<uint32_t>(ordered.size());
      ordered.push_back(random() % 2 == 0);
      least.push_back(now_ns + random() % 20'000);
      if (ordered.back()) {
        queue.PushOrdered(Numbered(number), least.back());
      } else {
        queue.PushLoose(Numbered(number), least.back());
      }
    }
    release();
  }
  now_ns += 1'000'000;
  release();
  EXPECT_EQ(left.size(), ordered.size());
  std::vector<uint32_t> of_order;
  std::ranges::copy_if(left, std::back_inserter(of_order), [&](uint32_t n) { return ordered[n]; });
  EXPECT_TRUE(std::ranges::is_sorted(of_order));
  EXPECT_FALSE(std::ranges::is_sorted(left));
}

}  // namespace
}  // namespace tester
