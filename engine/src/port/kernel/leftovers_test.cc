// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/kernel/leftovers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <optional>

#include "port/kernel/claim.h"
#include "port/kernel/namespace_testing.h"
#include "port/kernel/settings.h"

namespace tester {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Leftovers, ArePutBackWhenTheirTesterIsGone) {
  InNamespace([] {
    std::optional<InterfaceClaim> claim("here");
    ASSERT_TRUE(Ethtool("here").SetFeature("rx-gro", true));
    // Never at its end, as in a process that is killed.
    alignas(InterfaceSettings) static std::array<std::byte, sizeof(InterfaceSettings)> room;
    new (room.data()) InterfaceSettings(*FindInterface("here"), true);
    ASSERT_TRUE(SetPromiscuous("here", true));
    ASSERT_TRUE(SwitchInterface("here", false));
    EXPECT_THAT(RestoreInterfaces(), IsEmpty());  // a tester lives that has it
    EXPECT_TRUE(FindInterface("here")->promiscuous);
    claim.reset();
    EXPECT_THAT(
        RestoreInterfaces(),
        ElementsAre("here: set up, promiscuous mode off, rx-gro on, rx-vlan-hw-parse on, "
                    "rx-vlan-stag-hw-parse on, which a tester that was killed had changed"));
    const auto after = FindInterface("here");
    EXPECT_TRUE(after->up);
    EXPECT_FALSE(after->promiscuous);
    EXPECT_THAT(after->other_names, IsEmpty());
    const auto features = Ethtool("here").ReadFeatures();
    EXPECT_TRUE(std::ranges::find(features, "rx-gro", &Feature::name)->on);
    EXPECT_THAT(RestoreInterfaces(), IsEmpty());
  });
}

}  // namespace
}  // namespace tester
