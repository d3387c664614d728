// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "query/key_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace tester {
namespace {

constexpr auto kNothing = [](uint64_t*, uint64_t) {};

std::map<KeyTable::Key, uint64_t> RowsOf(const KeyTable& table) {
  std::map<KeyTable::Key, uint64_t> rows;
  for (size_t slot = 0; slot < table.slots(); ++slot) {
    const KeyTable::Row row = table.Read(slot);
    if (row.frames != 0) {
      EXPECT_TRUE(rows.emplace(row.key, row.frames).second) << "a key twice";
    }
  }
  return rows;
}

// Keys of every width, many of them often: the table is a std::map with a limit.
TEST(KeyTable, CountsAsAMapDoesUntilItIsFull) {
  std::mt19937_64 random(7);
  for (size_t words = 1; words <= KeyTable::kMostKeyWords; ++words) {
    for (const uint32_t capacity : {1U, 2U, 3U, 1000U}) {
      KeyTable table(capacity, {.key_words = words, .value_words = 0});
      std::map<KeyTable::Key, uint64_t> expected;
      uint64_t refused = 0;
      for (int frame = 0; frame < 20'000; ++frame) {
        KeyTable::Key key{};
        // All in the last word: the others are equal.
        key[words - 1] = random() % 1500;
        const bool fits = expected.contains(key) || expected.size() < capacity;
        EXPECT_EQ(table.Count(key, table.Hash(key), kNothing), fits);
        if (fits) ++expected[key];
        refused += fits ? 0 : 1;
      }
      EXPECT_EQ(RowsOf(table), expected);
      EXPECT_EQ(table.size(), expected.size());
      EXPECT_GT(refused, 0U);
    }
  }
}

// What a device sends may differ in a few bits only, wherever those are.
TEST(KeyTable, KeysThatAreAlikeLieApart) {
  for (unsigned shift = 0; shift <= 48; shift += 8) {
    KeyTable table(65'536, {.key_words = 1, .value_words = 0});
    for (uint64_t i = 0; i < 65'536; ++i) {
      const KeyTable::Key key{i << shift};
      table.Count(key, table.Hash(key), kNothing);
    }
    size_t longest = 0;
    size_t run = 0;
    for (size_t slot = 0; slot < table.slots(); ++slot) {
      run = table.Read(slot).frames != 0 ? run + 1 : 0;
      longest = std::max(longest, run);
    }
    EXPECT_LT(longest, 200U) << "keys shifted by " << shift;
  }
}

TEST(KeyTable, HandsOverItsWordsWithTheCountBefore) {
  KeyTable table(8, {.key_words = 2, .value_words = 1});
  const KeyTable::Key key{1, 2};
  for (uint64_t frame = 0; frame < 3; ++frame) {
    table.Count(key, table.Hash(key), [&](uint64_t* words, uint64_t before) {
      EXPECT_EQ(before, frame);
      EXPECT_EQ(*words, 10 * frame);
      *words += 10;
    });
  }
  for (size_t slot = 0; slot < table.slots(); ++slot) {
    const KeyTable::Row row = table.Read(slot);
    if (row.frames != 0) {
      EXPECT_EQ(row.value, 30U);
    }
  }
}

TEST(KeyTable, SaysHowMuchMemoryItTakes) {
  EXPECT_EQ(KeyTable::BytesOf(65'536, {.key_words = 1, .value_words = 0}), 131'072U * 16);
  EXPECT_EQ(KeyTable::BytesOf(65'536, {.key_words = 1, .value_words = 1}), 131'072U * 32);
  EXPECT_EQ(KeyTable::BytesOf(1U << 24, {.key_words = 5, .value_words = 1}), uint64_t{2} << 30);
}

}  // namespace
}  // namespace tester
