// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "base/text.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "base/log.h"

namespace tester {
namespace {

TEST(Quote, MakesAnythingPrintable) {
  EXPECT_EQ(Quote("a b"), "\"a b\"");
  EXPECT_EQ(Quote(std::string_view("\x00\x1f\xff", 3)), "\"\\x00\\x1f\\xff\"");
  EXPECT_EQ(Quote(std::string(500, 'x')).size(), 128U + 5);
}

TEST(Join, SeparatesAndNamesNothing) {
  EXPECT_EQ(Join(std::vector<int>{1, 2, 3}), "1, 2, 3");
  EXPECT_EQ(Join(std::vector<int>{}), "none");
}

TEST(AddressText, IsWhatPeopleWrite) {
  EXPECT_EQ(AddressText(std::array<uint8_t, 4>{192, 0, 2, 1}), "192.0.2.1");
  EXPECT_EQ(AddressText(std::array<uint8_t, 16>{0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                                0, 0, 1}),
            "2001:db8::1");
  EXPECT_EQ(MacText(std::array<uint8_t, 6>{2, 0, 0, 0xab, 0, 1}), "02:00:00:ab:00:01");
}

TEST(JsonString, EscapesWhatJsonDoesNotTake) {
  EXPECT_EQ(JsonString("a\"b\\c\nd"), "\"a\\\"b\\\\c\\u000ad\"");
}

}  // namespace
}  // namespace tester
