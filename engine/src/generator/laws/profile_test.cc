// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/laws/profile.h"

#include <gtest/gtest.h>

#include "generator/laws/analytic_testing.h"

namespace tester {
namespace {

// 10 frames in 100 ns, a pause, 3 frames in 7 ns.
const std::vector<Stretch>& Stretches() {
  static const std::vector<Stretch> stretches = {{.duration_ns = 100, .packets = 10},
                                                 {.duration_ns = 50, .packets = 0},
                                                 {.duration_ns = 7, .packets = 3}};
  return stretches;
}

TEST(Profile, GoesFromStretchToStretch) {
  const Profile profile(Stretches(), false);
  EXPECT_EQ(profile.DueNs(0), 0U);
  EXPECT_EQ(profile.DueNs(9), 90U);
  EXPECT_EQ(profile.DueNs(10), 150U);
  EXPECT_EQ(profile.DueNs(11), 153U) << "2.33 after the begin of its stretch";
  EXPECT_EQ(profile.DueNs(12), 155U);
  EXPECT_EQ(profile.DueNs(13), kNever);
  EXPECT_EQ(profile.DueBy(149), 10U);
  EXPECT_EQ(profile.DueBy(150), 11U);
  EXPECT_EQ(profile.DueBefore(153), 12U)
      << "of the frame at 152.33 a part of the nanosecond remains";
  EXPECT_EQ(profile.DueBy(UINT64_MAX), 13U);
}

TEST(Profile, BeginsAgain) {
  const Profile profile(Stretches(), true);
  EXPECT_EQ(profile.DueNs(13), 157U);
  EXPECT_EQ(profile.DueNs(13 * 1'000'000), 157'000'000U);
  EXPECT_EQ(profile.DueBefore(157'000'000), 13'000'000U);
  EXPECT_EQ(profile.DueNs(UINT64_MAX), UINT64_MAX) << "saturates";
}

TEST(Profile, CountsAndTimesAgree) {
  ExpectCountsAndTimesAgree(Profile(Stretches(), false));
  ExpectCountsAndTimesAgree(Profile(Stretches(), true));
  ExpectCountsAndTimesAgree(Profile({{.duration_ns = 5, .packets = 0},
                                     {.duration_ns = 11, .packets = 11},
                                     {.duration_ns = 1, .packets = 0},
                                     {.duration_ns = 1, .packets = 1},
                                     {.duration_ns = 90, .packets = 7},
                                     {.duration_ns = 3, .packets = 0}},
                                    true));
}

}  // namespace
}  // namespace tester
