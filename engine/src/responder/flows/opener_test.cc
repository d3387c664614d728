// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/flows/opener.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace tester::machine {
namespace {

using testing::ElementsAre;

Opening Four() {
  return {.flows = 4,
          .addresses = {},
          .source_mac = {},
          .destination_mac = {},
          .connections = 2,
          .total = 0,
          .reopen = Reopen::kEndedWell};
}

// All that are due.
std::vector<uint32_t> Take(Opener& opener, uint64_t now_us) {
  std::vector<uint32_t> numbers;
  for (uint64_t put_off = 0; opener.IsDue(now_us, put_off);) numbers.push_back(opener.Take());
  return numbers;
}

TEST(Opener, BeginsWithTheFirstFlowAndComesToThoseBeforeItLast) {
  Opening opening = Four();
  opening.first_flow = 2;
  Opener opener(opening, true);
  EXPECT_THAT(Take(opener, 0), ElementsAre(2, 3));
  opener.Ended(3, false);
  EXPECT_THAT(Take(opener, 0), ElementsAre(0));
  opener.Ended(2, false);
  EXPECT_THAT(Take(opener, 0), ElementsAre(1));
  opener.Ended(0, false);
  EXPECT_THAT(Take(opener, 0), ElementsAre(3));
}

TEST(Opener, OpensFreshOnesThenThoseThatHaveBeenOverForTheLongest) {
  const Opening opening = Four();
  Opener opener(opening, true);
  opener.Begin(100, 0);
  EXPECT_THAT(Take(opener, 99), ElementsAre());
  EXPECT_THAT(Take(opener, 100), ElementsAre(0, 1));
  opener.Ended(1, false);
  EXPECT_THAT(Take(opener, 100), ElementsAre(2));
  opener.Ended(0, false);
  opener.Ended(2, false);
  EXPECT_THAT(Take(opener, 100), ElementsAre(3, 1));
}

TEST(Opener, DoesNotReplaceWhatFailed) {
  const Opening opening = Four();
  Opener opener(opening, true);
  opener.Begin(0, 0);
  EXPECT_EQ(Take(opener, 0).size(), 2U);
  opener.Ended(0, true);
  EXPECT_THAT(Take(opener, 0), ElementsAre());
  EXPECT_FALSE(opener.Over(0));
  opener.Ended(1, true);
  EXPECT_TRUE(opener.Over(0));
}

TEST(Opener, KeepsItsRateAndMakesNothingUp) {
  Opening opening = Four();
  opening.openings = 2;
  opening.nanoseconds = 10'000;
  Opener opener(opening, true);
  opener.Begin(1000, 2000);
  EXPECT_EQ(Take(opener, 1000).size(), 1U);
  EXPECT_EQ(Take(opener, 1004).size(), 0U);
  EXPECT_EQ(Take(opener, 1005).size(), 1U);
  uint64_t put_off = 0;
  EXPECT_FALSE(opener.IsDue(1012, put_off));
  EXPECT_EQ(put_off, 1U);
  EXPECT_FALSE(opener.IsDue(1014, put_off));
  EXPECT_EQ(put_off, 1U);  // the same one still
  EXPECT_FALSE(opener.IsDue(1500, put_off));
  EXPECT_EQ(put_off, 99U);  // due at 1010, 1015, ... 1500
  opener.Ended(0, false);
  opener.Ended(1, false);
  EXPECT_TRUE(opener.IsDue(1502, put_off));
  EXPECT_EQ(put_off, 99U);
  opener.Take();
  EXPECT_FALSE(opener.IsDue(1502, put_off));
  EXPECT_EQ(put_off, 99U);
  EXPECT_EQ(Take(opener, 1507).size(), 1U);
  opener.Ended(2, false);
  EXPECT_EQ(Take(opener, 2000).size(), 0U);
  EXPECT_TRUE(opener.Over(2000));
}

TEST(Opener, CountsToItsTotalWhereNothingIsKept) {
  Opening opening = Four();
  opening.total = 6;
  opening.connections = 0;
  Opener opener(opening, false);
  opener.Begin(0, 0);
  EXPECT_THAT(Take(opener, 0), ElementsAre(0, 1, 2, 3, 0, 1));
  EXPECT_TRUE(opener.Over(0));
}

}  // namespace
}  // namespace tester::machine
