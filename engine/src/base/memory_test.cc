// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "base/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace tester {
namespace {

using testing::HasSubstr;

constexpr uint64_t kGigabyte = uint64_t{1} << 30;

TEST(Memory, TheMachineHasSome) {
  const auto available = AvailableMemory();
  ASSERT_TRUE(available);
  EXPECT_GT(*available, 0U);
}

TEST(Memory, WhatIsThereIsGranted) {
  EXPECT_NO_THROW(CheckMemory(kGigabyte / 2, kGigabyte, "x"));
  EXPECT_NO_THROW(CheckMemory(UINT64_MAX, std::nullopt, "x")) << "nobody says what is there";
}

TEST(Memory, MoreIsRefusedWithBothAmounts) {
  for (const uint64_t bytes : {kGigabyte, 2 * kGigabyte, kGigabyte - 1, UINT64_MAX}) {
    try {
      CheckMemory(bytes, kGigabyte, "responder \"a\"");
      FAIL() << bytes;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kResourceExhausted);
      EXPECT_THAT(error.what(), HasSubstr("responder \"a\" needs " + std::to_string(bytes)));
      EXPECT_THAT(error.what(), HasSubstr(std::to_string(kGigabyte)));
    }
  }
}

}  // namespace
}  // namespace tester
