// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "policy/ranges.h"
#include "base/int128.h"

#include <gtest/gtest.h>

namespace tester {
namespace {

TEST(Ranges, OnesThatTouchBecomeOne) {
  Ranges ranges;
  ranges.Add({10, 19});
  ranges.Add({30, 39});
  EXPECT_FALSE(ranges.Contains(25));
  ranges.Add({20, 29});
  EXPECT_EQ(ranges.FirstOutside({10, 39}), std::nullopt);
}

TEST(Ranges, TheLowestNumberOutsideIsFound) {
  Ranges ranges;
  EXPECT_EQ(ranges.FirstOutside({5, 6}), Uint128{5});
  ranges.Add({10, 19});
  EXPECT_EQ(ranges.FirstOutside({9, 12}), Uint128{9});
  EXPECT_EQ(ranges.FirstOutside({12, 30}), Uint128{20});
  EXPECT_EQ(ranges.FirstOutside({20, 30}), Uint128{20});
  EXPECT_EQ(ranges.FirstOutside({10, 19}), std::nullopt);
}

TEST(Ranges, TheLastNumberOfAllIsOne) {
  constexpr Uint128 kMost = ~Uint128{0};
  Ranges ranges;
  ranges.Add({kMost, kMost});
  ranges.Add({0, 1});
  EXPECT_TRUE(ranges.Contains(kMost));
  EXPECT_EQ(ranges.FirstOutside({0, kMost}), Uint128{2});
}

}  // namespace
}  // namespace tester
