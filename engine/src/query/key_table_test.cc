// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "query/key_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace tester {
namespace {

// Frames of each key, and the sum of their values.
using Rows = std::map<KeyTable::Key, std::pair<uint64_t, uint64_t>>;

Rows RowsOf(const KeyTable& table) {
  Rows rows;
  for (uint32_t i = 0; i < table.size(); ++i) {
    const KeyTable::Row row = table.Read(i);
    EXPECT_TRUE(rows.emplace(row.key, std::pair(row.frames, row.value)).second) << "a key twice";
  }
  return rows;
}

size_t Count(KeyTable& table, std::vector<KeyTable::Occurrence> burst) {
  return table.Count(burst.data(), burst.size(),
                     [](uint64_t* words, uint64_t before, uint64_t value) {
                       KeyTable::Store(words, value + (before == 0 ? 0 : KeyTable::Load(words)));
                     });
}

struct Order {
  const char* name;
  unsigned random_of_100;  // frames with a key at random; the others have the next one
};

class KeyTableInOrder : public testing::TestWithParam<Order> {};

// Keys of every width, in bursts of any length: the table equals a std::map with a limit, for keys
// in the order of rows, at random, and in order with exceptions.
TEST_P(KeyTableInOrder, CountsAsAMapDoesUntilItIsFull) {
  std::mt19937_64 random(7);
  for (size_t words = 1; words <= KeyTable::kMostKeyWords; ++words) {
    for (const uint32_t capacity : {1U, 2U, 3U, 1000U}) {
      KeyTable table(capacity, {.key_words = words, .value_words = 1});
      Rows expected;
      uint64_t refused = 0;
      uint64_t next = 0;
      for (int bursts = 0; bursts < 200; ++bursts) {
        std::vector<KeyTable::Occurrence> burst(1 + random() % kBurst);
        size_t missed = 0;
        for (KeyTable::Occurrence& frame : burst) {
          if (random() % 100 < GetParam().random_of_100) next = random();
          frame.key = {};
          frame.key[words - 1] = next++ % 1500;  // all in the last word: the others are equal
          frame.value = random() % 1000;
          const bool fits = expected.contains(frame.key) || expected.size() < capacity;
          missed += fits ? 0 : 1;
          if (!fits) continue;
          auto& [frames, sum] = expected[frame.key];
          ++frames;
          sum += frame.value;
        }
        EXPECT_EQ(Count(table, burst), missed);
        refused += missed;
      }
      EXPECT_EQ(RowsOf(table), expected);
      EXPECT_EQ(table.size(), expected.size());
      EXPECT_GT(refused, 0U);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllOrders, KeyTableInOrder,
                         testing::Values(Order{"InOrder", 0}, Order{"WithGaps", 3},
                                         Order{"AtRandom", 100}),
                         [](const auto& test) { return test.param.name; });

// Nothing is there yet that a key of zeros could be.
TEST(KeyTable, AKeyOfZerosIsAKey) {
  KeyTable table(4, {.key_words = 1, .value_words = 1});
  EXPECT_EQ(Count(table, {{.key = {}, .value = 5, .hash = 0}, {.key = {}, .value = 6, .hash = 0}}),
            0U);
  EXPECT_EQ(RowsOf(table), (Rows{{KeyTable::Key{}, {2, 11}}}));
}

// Keys of a device may differ in a few bits only, in any position.
TEST(KeyTable, KeysThatAreAlikeLieApart) {
  constexpr unsigned kPlaceBits = 17;
  for (unsigned shift = 0; shift <= 48; shift += 8) {
    std::vector<bool> taken(size_t{1} << kPlaceBits);
    size_t longest = 0;
    for (uint64_t i = 0; i < 65'536; ++i) {
      size_t place = KeyTable::Hash({i << shift}, 1) >> (64 - kPlaceBits);
      size_t steps = 0;
      for (; taken[place]; ++steps) place = (place + 1) % taken.size();
      taken[place] = true;
      longest = std::max(longest, steps);
    }
    EXPECT_LT(longest, 1'000U) << "keys shifted by " << shift;
  }
}

TEST(KeyTable, SaysHowMuchMemoryItTakes) {
  EXPECT_EQ(KeyTable::BytesOf(65'536, {.key_words = 1, .value_words = 0}),
            65'536U * 16 + 131'072U * 4);
  EXPECT_EQ(KeyTable::BytesOf(65'536, {.key_words = 1, .value_words = 1}),
            65'536U * 24 + 131'072U * 4);
  EXPECT_EQ(KeyTable::BytesOf(KeyTable::kMostKeys, {.key_words = 5, .value_words = 1}),
            uint64_t{KeyTable::kMostKeys} * 64);
}

}  // namespace
}  // namespace tester
