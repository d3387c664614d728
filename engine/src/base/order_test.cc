// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "base/order.h"

#include <gtest/gtest.h>

#include <random>

namespace tester {
namespace {

std::vector<uint16_t> Choose(const Order& order, OrderPlace& place, uint64_t first, size_t count) {
  std::vector<uint16_t> frames(count);
  order.Choose(place, first, count, frames.data());
  return frames;
}

TEST(Order, GoesRound) {
  OrderPlace place;
  const Order order({{.frame = 2, .packets = 1}, {.frame = 0, .packets = 3}});
  EXPECT_EQ(Choose(order, place, 0, 6), (std::vector<uint16_t>{2, 0, 0, 0, 2, 0}));
  EXPECT_EQ(Choose(order, place, 6, 3), (std::vector<uint16_t>{0, 0, 2}));
}

TEST(Order, BeginsAnywhere) {
  const Order order(
      {{.frame = 5, .packets = 7}, {.frame = 6, .packets = 1}, {.frame = 7, .packets = 90}});
  OrderPlace from_start;
  const auto all = Choose(order, from_start, 0, 500);
  std::mt19937 random(1);
  OrderPlace place;
  for (int i = 0; i < 500; ++i) {
    const size_t count = 1 + random() % 64;
    const size_t first = random() % (all.size() - count);
    const auto chosen = Choose(order, place, first, count);
    ASSERT_TRUE(std::equal(chosen.begin(), chosen.end(), all.begin() + static_cast<long>(first)));
  }
}

TEST(Order, KnowsLongMessages) {
  OrderPlace place;
  const Order order({{.frame = 1, .packets = uint64_t{1} << 40}, {.frame = 2, .packets = 1}});
  EXPECT_EQ(Choose(order, place, (uint64_t{1} << 40) - 1, 3), (std::vector<uint16_t>{1, 2, 1}));
}

}  // namespace
}  // namespace tester
