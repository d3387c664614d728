// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/unseen.h"

#include <gtest/gtest.h>

namespace tester {
namespace {

const auto kNever = [] { return false; };

TEST(Unseen, AreFramesThatOnlyTheInterfaceHasCounted) {
  Unseen unseen;
  EXPECT_EQ(unseen.Look(
                100, [] { return 100; }, kNever),
            0U);
  EXPECT_EQ(unseen.Look(
                150, [] { return 140; }, kNever),
            10U);
  EXPECT_EQ(unseen.Look(
                150, [] { return 140; }, kNever),
            10U);
  EXPECT_EQ(unseen.Look(
                250, [] { return 240; }, kNever),
            10U);
  EXPECT_EQ(unseen.Look(
                260, [] { return 241; }, kNever),
            19U);
}

TEST(Unseen, WaitForWhatIsUnderWay) {
  Unseen unseen;
  uint64_t accounted = 90;
  EXPECT_EQ(unseen.Look(
                100, [&] { return accounted; },
                [&] {
                  accounted += 5;
                  return true;
                }),
            0U);
}

// The port has gone on while the kernel's count was read.
TEST(Unseen, AreNeverLessThanBefore) {
  Unseen unseen;
  EXPECT_EQ(unseen.Look(
                100, [] { return 97; }, kNever),
            3U);
  EXPECT_EQ(unseen.Look(
                100, [] { return 120; }, kNever),
            3U);
}

}  // namespace
}  // namespace tester
