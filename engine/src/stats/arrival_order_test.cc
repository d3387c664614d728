// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "stats/arrival_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace tester {
namespace {

// The classification of RFC 4737 for each arrival, by looking at all that came before.
struct Known {
  uint64_t overtaken = 0;
  uint64_t duplicated = 0;
  std::vector<uint64_t> extents;
};

Known ByDefinition(const std::vector<uint64_t>& arrivals) {
  Known known;
  std::vector<uint64_t> first;
  for (const uint64_t sequence : arrivals) {
    if (std::find(first.begin(), first.end(), sequence) != first.end()) {
      ++known.duplicated;
      continue;
    }
    const auto higher = std::find_if(first.begin(), first.end(),
                                     [&](uint64_t earlier) { return earlier > sequence; });
    if (higher != first.end()) {
      ++known.overtaken;
      known.extents.push_back(static_cast<uint64_t>(first.end() - higher));
    }
    first.push_back(sequence);
  }
  return known;
}

std::map<uint64_t, uint64_t> ExtentsOf(const ArrivalOrder& order) {
  std::map<uint64_t, uint64_t> extents;
  for (uint32_t i = 0; i <= Histogram::Index(order.extent_max()); ++i) {
    if (order.extents().Count(i) != 0) extents[i] = order.extents().Count(i);
  }
  return extents;
}

std::map<uint64_t, uint64_t> After(const std::vector<uint64_t>& arrivals) {
  ArrivalOrder order;
  for (const uint64_t sequence : arrivals) order.Add(sequence);
  return ExtentsOf(order);
}

using Extents = std::map<uint64_t, uint64_t>;

// RFC 4737 section 7, with the sequence numbers from 0 instead of 1.
TEST(ArrivalOrder, ExamplesOfTheRfc) {
  EXPECT_EQ(After({0, 1, 2, 4, 5, 6, 7, 3, 8, 9}), (Extents{{4, 1}})) << "table 1";
  EXPECT_EQ(After({0, 1, 2, 3, 6, 4, 5, 7, 8, 9}), (Extents{{1, 1}, {2, 1}})) << "table 2";
  EXPECT_EQ(After({0, 1, 2, 6, 7, 8, 9, 3, 4, 5, 10}), (Extents{{4, 1}, {5, 1}, {6, 1}}))
      << "table 3";
}

TEST(ArrivalOrder, PlacesADialogue) {
  ArrivalOrder order;
  const std::vector<std::pair<uint64_t, ArrivalPlace>> dialogue = {
      {0, ArrivalPlace::kNext},      {1, ArrivalPlace::kNext},      {5, ArrivalPlace::kSkipping},
      {3, ArrivalPlace::kOvertaken}, {3, ArrivalPlace::kDuplicate}, {5, ArrivalPlace::kDuplicate},
      {6, ArrivalPlace::kNext},      {0, ArrivalPlace::kDuplicate}, {2, ArrivalPlace::kOvertaken},
      {9, ArrivalPlace::kSkipping},  {4, ArrivalPlace::kOvertaken}, {4, ArrivalPlace::kDuplicate}};
  for (const auto& [sequence, place] : dialogue) {
    EXPECT_EQ(order.Add(sequence), place) << sequence;
  }
  EXPECT_EQ(order.next(), 10U);
  EXPECT_EQ(order.overtaken(), 3U);
  EXPECT_EQ(order.duplicated(), 4U);
  EXPECT_EQ(order.late(), 0U);
}

TEST(ArrivalOrder, LossAloneIsNoReordering) {
  ArrivalOrder order;
  for (uint64_t sequence = 0; sequence < 300'000; sequence += 3) order.Add(sequence);
  EXPECT_EQ(order.overtaken() + order.duplicated() + order.late(), 0U);
}

TEST(ArrivalOrder, TheWindowEndsWhereItIsSaidTo) {
  ArrivalOrder order;
  order.Add(0);
  order.Add(ArrivalOrder::kWindow + 1);  // 1 is kWindow below
  EXPECT_EQ(order.Add(1), ArrivalPlace::kLate);
  EXPECT_EQ(order.Add(0), ArrivalPlace::kLate);
  EXPECT_EQ(order.Add(2), ArrivalPlace::kOvertaken);
  EXPECT_EQ(order.Add(2), ArrivalPlace::kDuplicate);
  EXPECT_EQ(order.late(), 2U);
  EXPECT_EQ(order.extent_max(), 1U);
}

TEST(ArrivalOrder, ALeapOfAnyLengthLeavesTheWindowRight) {
  ArrivalOrder order;
  order.Add(7);
  const uint64_t far = uint64_t{1} << 40;
  EXPECT_EQ(order.Add(far), ArrivalPlace::kSkipping);
  EXPECT_EQ(order.Add(far - ArrivalOrder::kWindow), ArrivalPlace::kLate);
  EXPECT_EQ(order.Add(far - ArrivalOrder::kWindow + 1), ArrivalPlace::kOvertaken);
  EXPECT_EQ(order.Add(far - 1), ArrivalPlace::kOvertaken);
  EXPECT_EQ(order.Add(far), ArrivalPlace::kDuplicate);
  EXPECT_EQ(ExtentsOf(order), (Extents{{1, 1}, {2, 1}}));
}

// Numbers that share a place in the window, rounds apart.
TEST(ArrivalOrder, WhatWasMissingARoundAgoIsForgotten) {
  ArrivalOrder order;
  for (uint64_t sequence = 0; sequence < 2 * ArrivalOrder::kWindow; ++sequence) {
    if (sequence != 10) order.Add(sequence);
  }
  EXPECT_EQ(order.Add(ArrivalOrder::kWindow + 10), ArrivalPlace::kDuplicate) << "came in its place";
  EXPECT_EQ(order.Add(10), ArrivalPlace::kLate);
}

TEST(ArrivalOrder, AgreesWithTheDefinitionOnAnything) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<uint64_t> arrivals;
    for (uint64_t sequence = 0; sequence < 300; ++sequence) {
      if (random() % 10 == 0) continue;
      arrivals.push_back(sequence);
      if (random() % 10 == 0) arrivals.push_back(sequence);
    }
    for (size_t i = 0; i < arrivals.size(); ++i) {
      if (random() % 5 != 0) continue;
      std::swap(arrivals[i], arrivals[std::min(arrivals.size() - 1, i + random() % 20)]);
    }
    const Known known = ByDefinition(arrivals);
    ArrivalOrder order;
    for (const uint64_t sequence : arrivals) order.Add(sequence);
    ASSERT_EQ(order.overtaken(), known.overtaken);
    ASSERT_EQ(order.duplicated(), known.duplicated);
    uint64_t sum = 0;
    std::map<uint64_t, uint64_t> extents;
    for (const uint64_t extent : known.extents) {
      sum += extent;
      ++extents[extent];
    }
    ASSERT_EQ(order.extent_sum(), sum);
    ASSERT_EQ(ExtentsOf(order), extents);
  }
}

}  // namespace
}  // namespace tester
