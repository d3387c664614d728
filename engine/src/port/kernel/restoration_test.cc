// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/kernel/restoration.h"

#include <gtest/gtest.h>

namespace tester {
namespace {

TEST(Restoration, IsReadAsItWasWritten) {
  Restoration all;
  all.up = all.promiscuous = all.xdp = true;
  for (const auto& feature : kUnwantedFeatures) all.features.push_back(&feature);
  all.pause = PauseSetting{.negotiated = true, .receives = false, .sends = true};
  const std::string mark = all.Mark(2147483647);
  EXPECT_EQ(mark, "testerd.2147483647.up.promisc.xdp.gro.hwgro.lro.vlan.svlan.pause-101");
  EXPECT_LT(mark.size(), 128U);  // ALTIFNAMSIZ
  EXPECT_TRUE(IsMark(mark));
  const Restoration read = ParseMark(mark);
  EXPECT_TRUE(read.up && read.promiscuous && read.xdp);
  EXPECT_EQ(read.features, all.features);
  ASSERT_TRUE(read.pause);
  EXPECT_EQ(read.pause->negotiated, true);
  EXPECT_EQ(read.pause->receives, false);
  EXPECT_EQ(read.pause->sends, true);
}

TEST(Restoration, OfNothingIsAMarkToo) {
  const std::string mark = Restoration{}.Mark(3);
  EXPECT_EQ(mark, "testerd.3");
  const Restoration read = ParseMark(mark);
  EXPECT_FALSE(read.up || read.promiscuous || read.xdp || read.pause || !read.features.empty());
}

TEST(Restoration, LeavesOutWhatItDoesNotKnow) {
  const Restoration read = ParseMark("testerd.3..teleport.pause-1.pause-.gro");
  EXPECT_FALSE(read.promiscuous || read.pause);
  ASSERT_EQ(read.features.size(), 1U);
  EXPECT_EQ(read.features[0]->name, "rx-gro");
  EXPECT_FALSE(IsMark("enp3s0f0"));
}

}  // namespace
}  // namespace tester
