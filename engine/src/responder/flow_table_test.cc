// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/flow_table.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "generator/random_numbers.h"

namespace tester::machine {
namespace {

constexpr size_t kKeyBytes = 12;

Flow FlowOf(uint32_t number) {
  Flow flow;
  std::memcpy(flow.key.data() + 4, &number, sizeof number);
  flow.words[0] = number;
  return flow;
}

// Against a map: as many as it takes, and numbers again and again, so that slots are shared and
// freed.
TEST(FlowTable, AgreesWithAMap) {
  constexpr uint32_t kCapacity = 300;
  FlowTable table(kCapacity, kKeyBytes, 5);
  std::map<uint32_t, uint32_t> known;
  for (uint64_t step = 0; step < 100'000; ++step) {
    const auto number = static_cast<uint32_t>(RandomNumber(3, step) % 500);
    const Flow flow = FlowOf(number);
    const uint64_t hash = table.Hash(flow.key);
    const uint32_t found = table.Find(flow.key, hash);
    if (const auto at = known.find(number); at != known.end()) {
      ASSERT_EQ(found, at->second);
      ASSERT_EQ(table[found].words[0], number);
      table.Erase(found);
      known.erase(at);
    } else {
      ASSERT_EQ(found, kNoFlow);
      if (!table.full()) known[number] = table.Insert(flow, hash);
    }
    ASSERT_EQ(table.size(), known.size());
    ASSERT_EQ(table.full(), known.size() == kCapacity);
  }
  size_t visited = 0;
  table.ForEach([&](const Flow& flow) {
    EXPECT_TRUE(known.contains(static_cast<uint32_t>(flow.words[0])));
    ++visited;
  });
  EXPECT_EQ(visited, known.size());
}

}  // namespace
}  // namespace tester::machine
