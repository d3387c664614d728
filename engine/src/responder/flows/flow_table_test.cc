// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/flows/flow_table.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "base/random_numbers.h"

namespace tester::machine {
namespace {

constexpr size_t kKeyBytes = 12;

FreshFlow FlowOf(uint32_t number) {
  FreshFlow flow;
  std::memcpy(flow.identity.key.data() + 4, &number, sizeof number);
  flow.identity.link[0] = static_cast<uint8_t>(number);
  flow.flow.words[0] = number;
  flow.cold_words[1] = ~uint64_t{number};
  return flow;
}

// Compared with a map, filled to its capacity and with repeated numbers, so that slots are shared
// and freed.
TEST(FlowTable, AgreesWithAMap) {
  constexpr uint32_t kCapacity = 300;
  FlowTable table(kCapacity, kKeyBytes, 2, 5);
  std::map<uint32_t, uint32_t> known;
  for (uint64_t step = 0; step < 100'000; ++step) {
    const auto number = static_cast<uint32_t>(RandomNumber(3, step) % 500);
    const FreshFlow flow = FlowOf(number);
    const uint64_t hash = table.Hash(flow.identity.key);
    const uint32_t found = table.Find(flow.identity.key, hash);
    if (const auto at = known.find(number); at != known.end()) {
      ASSERT_EQ(found, at->second);
      ASSERT_EQ(table[found].words[0], number);
      ASSERT_EQ(table.StateOf(found).cold_words[1], ~uint64_t{number});
      ASSERT_EQ(table.IdentityOf(found).key, flow.identity.key);
      ASSERT_EQ(table.IdentityOf(found).link, flow.identity.link);
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
  table.ForEach([&](uint32_t index) {
    EXPECT_TRUE(known.contains(static_cast<uint32_t>(table[index].words[0])));
    ++visited;
  });
  EXPECT_EQ(visited, known.size());
}

}  // namespace
}  // namespace tester::machine
