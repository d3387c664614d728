// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/stations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "inline/packets_testing.h"
#include "wire/ethernet.h"

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
  Stations stations(false);
  EXPECT_EQ(stations.PortFor(From(0, 7)), Stations::kEverywhere);
  stations.Learn(From(7), 0);
  stations.Learn(From(8), 2);
  EXPECT_EQ(stations.PortFor(From(0, 7)), 0U);
  EXPECT_EQ(stations.PortFor(From(0, 8)), 2U);
  stations.Learn(From(7), 1);
  EXPECT_EQ(stations.PortFor(From(0, 7)), 1U);
}

TEST(Stations, HaveNoGroupsAmongThem) {
  Stations stations(false);
  Header group = From(7, 7);
  group[0] = group[6] = 0x01;
  stations.Learn(group, 0);
  EXPECT_EQ(stations.PortFor(group), Stations::kEverywhere);
  group.fill(0xff);
  EXPECT_EQ(stations.PortFor(group), Stations::kEverywhere);
}

TEST(Stations, BeyondTheMostAreNotKnownAndOthersStay) {
  Stations stations(false);
  constexpr uint32_t kMost = Stations::kMost;
  for (uint32_t station = 0; station < kMost + 10; ++station) {
    stations.Learn(From(station), station % 3);
  }
  for (uint32_t station = 0; station < kMost; ++station) {
    ASSERT_EQ(stations.PortFor(From(0, station)), station % 3);
  }
  for (uint32_t station = kMost; station < kMost + 10; ++station) {
    ASSERT_EQ(stations.PortFor(From(0, station)), Stations::kEverywhere);
  }
  stations.Learn(From(0), 2);
  EXPECT_EQ(stations.PortFor(From(1, 0)), 2U) << "one that is known may move";
}

std::vector<uint8_t> Ipv4From(uint8_t source, uint8_t destination, uint16_t vlan = 0) {
  std::vector<uint8_t> frame = FrameOf({.vlan = vlan});
  uint8_t* const ip = frame.data() + (vlan == 0 ? 14 : 18);
  ip[15] = source;
  ip[19] = destination;
  return frame;
}

std::vector<uint8_t> ArpFrom(uint8_t source, uint8_t destination) {
  std::vector<uint8_t> frame(60);
  std::fill_n(frame.begin(), 6, uint8_t{0xff});
  wire::Store16(&frame[12], wire::kEtherTypeArp);
  frame[14 + 14] = frame[14 + 24] = 10;
  frame[14 + 17] = source;
  frame[14 + 27] = destination;
  return frame;
}

TEST(Stations, AreKnownByTheirAddressesOfIp) {
  Stations stations(true);
  stations.Learn(Ipv4From(7, 1), 0);
  stations.Learn(Ipv4From(8, 1, 100), 2);
  stations.Learn(ArpFrom(9, 1), 1);
  EXPECT_EQ(stations.PortFor(Ipv4From(1, 7, 100)), 0U) << "whatever its VLAN is";
  EXPECT_EQ(stations.PortFor(Ipv4From(1, 8)), 2U) << "though all have one address of Ethernet";
  EXPECT_EQ(stations.PortFor(ArpFrom(1, 9)), 1U) << "who is asked for";
  EXPECT_EQ(stations.PortFor(ArpFrom(1, 5)), Stations::kEverywhere);
  EXPECT_EQ(stations.PortFor(Ipv4From(1, 5)), Stations::kEverywhere);

  std::vector<uint8_t> ipv6 = FrameOf({.ipv6 = true});
  stations.Learn(ipv6, 1);
  std::swap_ranges(&ipv6[22], &ipv6[38], &ipv6[38]);
  EXPECT_EQ(stations.PortFor(ipv6), 1U);
  ipv6[38] = 0xff;
  stations.Learn(ipv6, 0);
  EXPECT_EQ(stations.PortFor(ipv6), Stations::kEverywhere) << "a group";

  std::vector<uint8_t> group = Ipv4From(1, 7);
  group[14 + 16] = 224;
  EXPECT_EQ(stations.PortFor(group), Stations::kEverywhere);
  EXPECT_EQ(stations.PortFor(From(0, 7)), Stations::kEverywhere) << "no IP";
  EXPECT_EQ(stations.PortFor(Frame(group).first(13)), Stations::kEverywhere) << "cut short";
}

}  // namespace
}  // namespace tester
