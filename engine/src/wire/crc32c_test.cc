// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "wire/crc32c.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string_view>
#include <vector>

#include "wire/bytes.h"

namespace tester::wire {
namespace {

// Bit by bit from the polynomial, most significant bit of each byte last.
uint32_t Naive(std::span<const uint8_t> bytes) {
  uint32_t crc = 0xffffffff;
  for (const uint8_t byte : bytes) {
    for (int bit = 0; bit < 8; ++bit) {
      const bool carry = ((crc ^ static_cast<uint32_t>(byte >> bit)) & 1) != 0;
      crc = crc >> 1 ^ (carry ? 0x82f63b78 : 0);
    }
  }
  return ~crc;
}

TEST(Crc32c, KnownAnswers) {
  constexpr std::string_view kDigits = "123456789";
  EXPECT_EQ(Crc32c(BytesOf(kDigits)), 0xe3069283U);
  // RFC 3720 B.4
  EXPECT_EQ(Crc32c(std::vector<uint8_t>(32, 0)), 0x8a9136aaU);
  EXPECT_EQ(Crc32c(std::vector<uint8_t>(32, 0xff)), 0x62a8ab43U);
  std::vector<uint8_t> rising(32);
  std::iota(rising.begin(), rising.end(), uint8_t{0});
  EXPECT_EQ(Crc32c(rising), 0x46dd794eU);
}

TEST(Crc32c, EveryLength) {
  std::vector<uint8_t> bytes;
  for (uint32_t i = 0; i < 70; ++i) {
    EXPECT_EQ(Crc32c(bytes), Naive(bytes)) << bytes.size();
    bytes.push_back(static_cast<uint8_t>(i * 37 + 11));
  }
}

}  // namespace
}  // namespace tester::wire
