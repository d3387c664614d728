// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/kernel/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "port/kernel/namespace_testing.h"

namespace tester {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Interface Here() { return FindInterface("here").value_or(Interface{}); }

bool IsOn(std::string_view feature) {
  const auto features = Ethtool("here").ReadFeatures();
  const auto found = std::ranges::find(features, feature, &Feature::name);
  return found != features.end() && found->on;
}

TEST(InterfaceSettings, SwitchOffWhatChangesFramesAndPutItBack) {
  InNamespace([] {
    ASSERT_TRUE(Ethtool("here").SetFeature("rx-gro", true));
    ASSERT_TRUE(IsOn("rx-vlan-hw-parse"));
    {
      const InterfaceSettings settings(Here(), false);
      EXPECT_FALSE(IsOn("rx-gro"));
      EXPECT_FALSE(IsOn("rx-vlan-hw-parse"));
      EXPECT_THAT(Here().other_names, ElementsAre("testerd." + std::to_string(Here().index) +
                                                  ".up.promisc.gro.vlan.svlan"));
      EXPECT_THAT(settings.Objections("net_af_packet"), IsEmpty());
      EXPECT_EQ(settings.flow_control(), FlowControl::kNone);
      ASSERT_TRUE(SetPromiscuous("here", true));
    }
    EXPECT_TRUE(IsOn("rx-gro"));
    EXPECT_TRUE(IsOn("rx-vlan-hw-parse"));
    EXPECT_FALSE(Here().promiscuous);
    EXPECT_THAT(Here().other_names, IsEmpty());
  });
}

TEST(InterfaceSettings, LeaveOffWhatWasOffAndOnWhatWasOn) {
  InNamespace([] {
    ASSERT_TRUE(Ethtool("here").SetFeature("rx-gro", false));
    ASSERT_TRUE(SetPromiscuous("here", true));
    {
      const InterfaceSettings settings(Here(), true);
      SetPromiscuous("here", false);  // as drivers of DPDK do at their end
    }
    EXPECT_FALSE(IsOn("rx-gro"));
    EXPECT_TRUE(Here().promiscuous);
  });
}

TEST(Ethtool, ReadsTheChannelsOfAnInterface) {
  InNamespace([] {
    EXPECT_EQ(Ethtool("here").ReadChannels()->arriving(), 1U);
    Shell("ip link add many numrxqueues 4 type veth peer name other && ethtool -L many rx 4");
    const auto channels = Ethtool("many").ReadChannels();
    ASSERT_TRUE(channels);
    EXPECT_EQ(channels->arriving(), 4U);
    EXPECT_EQ(channels->Command("many", 1), "ethtool -L many rx 1");
    Shell(channels->Command("many", 1));
    EXPECT_EQ(Ethtool("many").ReadChannels()->arriving(), 1U);
    EXPECT_FALSE(Ethtool("nowhere").ReadChannels());
  });
}

TEST(Channels, GetTheirNumberByACommand) {
  EXPECT_EQ((Channels{.receive = 0, .combined = 8}.Command("eth1", 1)),
            "ethtool -L eth1 combined 1");
  EXPECT_EQ((Channels{.receive = 2, .combined = 8}.Command("eth1", 1)),
            "ethtool -L eth1 combined 1 rx 0");
  EXPECT_EQ((Channels{.receive = 1, .combined = 0}.Command("veth1", 4)), "ethtool -L veth1 rx 4");
}

TEST(Ethtool, ReadsStatistics) {
  InNamespace([] {
    const auto statistics = Ethtool("here").ReadStatistics();
    const auto named = [](const auto& counter) { return counter.name == "rx_queue_0_xdp_packets"; };
    EXPECT_TRUE(std::ranges::any_of(statistics, named));
    EXPECT_FALSE(Ethtool("here").ReadPause());
    EXPECT_FALSE(Ethtool("here").SetFeature("rx-teleport", false));
  });
}

}  // namespace
}  // namespace tester
