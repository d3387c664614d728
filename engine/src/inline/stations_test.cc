// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/stations.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace tester {
namespace {

using Header = std::array<uint8_t, 14>;

// Addresses of stations by number, from 0.
Header From(uint32_t source, uint32_t destination = 0) {
  const auto low = [](uint32_t station, int byte) {
    return static_cast<uint8_t>(station >> 8 * byte);
  };
  return {
      0x02, 0, low(destination, 3), low(destination, 2), low(destination, 1), low(destination, 0),
      0x02, 0, low(source, 3),      low(source, 2),      low(source, 1),      low(source, 0),
      0x08, 0};
}

TEST(Stations, AreWhereTheyHaveSentFromLast) {
  Stations stations;
  EXPECT_EQ(stations.PortFor(From(0, 7).data()), Stations::kEverywhere);
  stations.Learn(From(7).data(), 0);
  stations.Learn(From(8).data(), 2);
  EXPECT_EQ(stations.PortFor(From(0, 7).data()), 0U);
  EXPECT_EQ(stations.PortFor(From(0, 8).data()), 2U);
  stations.Learn(From(7).data(), 1);
  EXPECT_EQ(stations.PortFor(From(0, 7).data()), 1U);
}

TEST(Stations, HaveNoGroupsAmongThem) {
  Stations stations;
  Header group = From(7, 7);
  group[0] = group[6] = 0x01;
  stations.Learn(group.data(), 0);
  EXPECT_EQ(stations.PortFor(group.data()), Stations::kEverywhere);
  group.fill(0xff);
  EXPECT_EQ(stations.PortFor(group.data()), Stations::kEverywhere);
}

TEST(Stations, BeyondTheMostAreNotKnownAndOthersStay) {
  Stations stations;
  constexpr uint32_t kMost = Stations::kMost;
  for (uint32_t station = 0; station < kMost + 10; ++station) {
    stations.Learn(From(station).data(), station % 3);
  }
  for (uint32_t station = 0; station < kMost; ++station) {
    ASSERT_EQ(stations.PortFor(From(0, station).data()), station % 3);
  }
  for (uint32_t station = kMost; station < kMost + 10; ++station) {
    ASSERT_EQ(stations.PortFor(From(0, station).data()), Stations::kEverywhere);
  }
  stations.Learn(From(0).data(), 2);
  EXPECT_EQ(stations.PortFor(From(1, 0).data()), 2U) << "one that is known may move";
}

}  // namespace
}  // namespace tester
