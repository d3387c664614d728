// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/laws/script.h"

#include <gtest/gtest.h>

#include "generator/laws/analytic_testing.h"

namespace tester {
namespace {

// Due at 5 15 25, 125, 125 125.
const std::vector<Message>& Messages() {
  static const std::vector<Message> messages = {{.pause_ns = 5, .packets = 3, .gap_ns = 10},
                                                {.pause_ns = 100, .packets = 1, .gap_ns = 7},
                                                {.pause_ns = 0, .packets = 2, .gap_ns = 0}};
  return messages;
}

TEST(Script, PlaysItsMessages) {
  const Script script(Messages(), false);
  const std::vector<uint64_t> times = {5, 15, 25, 125, 125, 125, kNever};
  for (size_t k = 0; k < times.size(); ++k) EXPECT_EQ(script.DueNs(k), times[k]) << k;
  EXPECT_EQ(script.DueBy(4), 0U);
  EXPECT_EQ(script.DueBy(124), 3U);
  EXPECT_EQ(script.DueBy(125), 6U);
  EXPECT_EQ(script.DueBefore(125), 3U);
  EXPECT_EQ(script.DueBy(UINT64_MAX), 6U);
}

TEST(Script, BeginsAgainAPauseAfterItsLastFrame) {
  const Script script(Messages(), true);
  EXPECT_EQ(script.DueNs(6), 130U);
  EXPECT_EQ(script.DueNs(6 * 1'000'000 + 3), 125'000'125U);
  EXPECT_EQ(script.DueBy(125'000'000), 6'000'000U);
}

TEST(Script, CountsAndTimesAgree) {
  ExpectCountsAndTimesAgree(Script(Messages(), false));
  ExpectCountsAndTimesAgree(Script(Messages(), true));
  ExpectCountsAndTimesAgree(Script({{.pause_ns = 0, .packets = 4, .gap_ns = 3}}, true));
  ExpectCountsAndTimesAgree(Script({{.pause_ns = 0, .packets = 4, .gap_ns = 0}}, false));
}

}  // namespace
}  // namespace tester
