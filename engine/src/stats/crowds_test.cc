// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "stats/crowds.h"

#include <gtest/gtest.h>

namespace tester {
namespace {

constexpr uint64_t kUs = 1000;

TEST(Crowds, FramesInTimeAreNone) {
  Crowds crowds;
  for (uint64_t i = 0; i < 10; ++i) crowds.Note(i, 1, 75 * kUs * i + 100 * kUs, 75 * kUs * i);
  EXPECT_EQ(crowds.CountOf(0, 10), 0U);
  crowds.Note(10, 1, 750 * kUs, 760 * kUs);
  EXPECT_EQ(crowds.CountOf(0, 11), 0U) << "nor a rehearsal of a frame that is not due yet";
}

TEST(Crowds, FramesBehindAPauseAndSoonAfterThem) {
  Crowds crowds;
  crowds.Note(0, 1, 0, 0);
  crowds.Note(1, 8, 675 * kUs, 75 * kUs);   // 600 us late
  crowds.Note(9, 1, 680 * kUs, 675 * kUs);  // follows
  crowds.Note(10, 1, 6674 * kUs, 6674 * kUs);
  crowds.Note(11, 1, 6675 * kUs, 6675 * kUs);  // 6 ms later
  EXPECT_EQ(crowds.CountOf(0, 12), 10U);
  EXPECT_EQ(crowds.CountOf(0, 1), 0U);
  EXPECT_EQ(crowds.CountOf(0, 3), 2U);
  EXPECT_EQ(crowds.CountOf(4, 6), 2U);
  EXPECT_EQ(crowds.CountOf(10, 12), 1U);
}

TEST(Crowds, FramesThatThePortRefusedLeaveOnce) {
  Crowds crowds;
  crowds.Note(4, 8, 1000 * kUs, 0);
  crowds.Note(6, 6, 1010 * kUs, 150 * kUs);  // 4 and 5 left
  EXPECT_EQ(crowds.CountOf(0, 100), 8U);
}

TEST(Crowds, TooManyPausesAgoIsNotKnown) {
  Crowds crowds;
  for (uint64_t pause = 0; pause < 1000; ++pause) {
    crowds.Note(10 * pause, 2, 100'000 * kUs * pause + 200 * kUs, 100'000 * kUs * pause);
  }
  EXPECT_EQ(crowds.CountOf(9980, 10000), 4U);
  EXPECT_EQ(crowds.CountOf(9000, 9001), 1U);
  EXPECT_EQ(crowds.CountOf(5, 6), std::nullopt);
}

TEST(LostCrowded, CountsThoseThatAreMissing) {
  Crowds crowds;
  LostCrowded lost;
  crowds.Note(10, 5, 1000 * kUs, 0);
  lost.Skip(crowds, 8, 13);  // 10, 11, 12
  lost.Find(crowds, 9);      // left in time
  lost.Find(crowds, 11);
  EXPECT_EQ(lost.skipped.Get(), 3U);
  EXPECT_EQ(lost.overtaken.Get(), 1U);
  EXPECT_EQ(lost.forgotten.Get(), 0U);
}

}  // namespace
}  // namespace tester
