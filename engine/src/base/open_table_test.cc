// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "base/open_table.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "base/mapped.h"
#include "base/random_numbers.h"

namespace tester {
namespace {

template <typename T>
using Vector = std::vector<T>;

struct NumberSlot {
  uint64_t number;  // 0: free

  bool IsFree() const { return number == 0; }
};

// The upper bits decide the home: few of them, so that numbers share slots.
uint64_t HashOf(uint64_t number) { return number % 7 << 61; }

template <typename Table>
void ExpectASet(Table& table) {
  const auto slot_of = [&](uint64_t number) {
    return table.Seek(HashOf(number),
                      [&](const NumberSlot& slot) { return slot.number == number; });
  };
  std::set<uint64_t> numbers;
  for (uint64_t step = 0; step < 20'000; ++step) {
    const uint64_t number = RandomNumber(1, step) % 40 + 1;
    const size_t slot = slot_of(number);
    if (numbers.erase(number) == 1) {
      ASSERT_EQ(table[slot].number, number);
      table.Erase(slot, [](const NumberSlot& used) { return HashOf(used.number); });
    } else {
      ASSERT_TRUE(table[slot].IsFree()) << number;
      if (numbers.size() + 1 == table.size()) continue;
      table[slot].number = number;
      numbers.insert(number);
    }
  }
  std::set<uint64_t> kept;
  for (size_t i = 0; i < table.size(); ++i) {
    if (!table[i].IsFree()) kept.insert(table[i].number);
  }
  EXPECT_EQ(kept, numbers);
}

TEST(OpenTable, AgreesWithASet) {
  OpenTable<NumberSlot, Mapped> mapped(17);
  ASSERT_EQ(mapped.size(), 32U);
  ExpectASet(mapped);
  OpenTable<NumberSlot, Vector> vector(8);
  ASSERT_EQ(vector.size(), 8U);
  ExpectASet(vector);
}

TEST(OpenTable, HasAFreeSlotBesideAnEntry) {
  EXPECT_EQ((OpenTable<NumberSlot, Vector>(0).size()), 2U);
  EXPECT_EQ((OpenTable<NumberSlot, Vector>(1).size()), 2U);
}

}  // namespace
}  // namespace tester
