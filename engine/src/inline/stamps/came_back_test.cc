// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/stamps/came_back.h"

#include <gtest/gtest.h>

namespace tester {
namespace {

using Back = CameBack::Back;

TEST(CameBack, KnowsEachNumberOnce) {
  CameBack returned(true);
  for (const uint64_t number : {3U, 1U, 0U, 7U}) {
    EXPECT_EQ(returned.Take(number), Back::kFirst);
    EXPECT_EQ(returned.Take(number), Back::kAgain);
  }
  EXPECT_EQ(returned.Take(2), Back::kFirst);
}

TEST(CameBack, SaysWhatItHasForgotten) {
  CameBack returned(true);
  EXPECT_EQ(returned.Take(5), Back::kFirst);
  EXPECT_EQ(returned.Take(CameBack::kRemembered + 4), Back::kFirst);
  EXPECT_EQ(returned.Take(5), Back::kAgain) << "the oldest one that is remembered";
  EXPECT_EQ(returned.Take(4), Back::kForgotten);
  EXPECT_EQ(returned.Take(CameBack::kRemembered + 5), Back::kFirst) << "in the place of that";
  EXPECT_EQ(returned.Take(5), Back::kForgotten);
}

TEST(CameBack, BeginsAnewBehindALongLoss) {
  CameBack returned(true);
  EXPECT_EQ(returned.Take(5), Back::kFirst);
  EXPECT_EQ(returned.Take(3 * CameBack::kRemembered + 6), Back::kFirst);
  EXPECT_EQ(returned.Take(2 * CameBack::kRemembered + 7), Back::kFirst);
  EXPECT_EQ(returned.Take(2 * CameBack::kRemembered + 6), Back::kForgotten);
}

}  // namespace
}  // namespace tester
