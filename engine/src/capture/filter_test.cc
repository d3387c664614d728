// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "capture/filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/error.h"

namespace tester {
namespace {

std::vector<uint8_t> EtherType(uint8_t high, uint8_t low) {
  std::vector<uint8_t> frame(60);
  frame[12] = high;
  frame[13] = low;
  return frame;
}

TEST(Filter, LetsPassWhatItSays) {
  const Filter arp("arp", "here");
  EXPECT_TRUE(arp.Matches(EtherType(0x08, 0x06)));
  EXPECT_FALSE(arp.Matches(EtherType(0x08, 0x00)));
}

TEST(Filter, DoesNotLookBeyondTheEndOfAFrame) {
  const Filter deep("ether[1000] == 0", "here");
  EXPECT_FALSE(deep.Matches(EtherType(0x08, 0x00)));
  EXPECT_FALSE(deep.Matches({}));
  const std::vector<uint8_t> frame = EtherType(0, 0);
  const Filter longer("greater 60", "here");
  EXPECT_TRUE(longer.Matches(frame));
  EXPECT_FALSE(longer.Matches(Frame(frame).first(59)));
}

TEST(Filter, IsRefusedInTheWordsOfLibpcap) {
  try {
    const Filter bad("udp prot 53", "capture \"x\"");
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_THAT(error.what(), testing::HasSubstr("capture \"x\": filter \"udp prot 53\""));
    EXPECT_THAT(error.what(), testing::HasSubstr("syntax error"));
  }
}

}  // namespace
}  // namespace tester
