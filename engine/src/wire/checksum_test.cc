// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "wire/checksum.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace tester::wire {
namespace {

TEST(Checksum, ExampleOfRfc1071) {
  // RFC 1071, 3: their sum is ddf2.
  const std::array<uint8_t, 8> bytes = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
  EXPECT_EQ(Fold(Sum(bytes)), 0xddf2);
  EXPECT_EQ(Checksum(bytes), 0x220d);
}

TEST(Checksum, OddByteIsTheHighHalf) {
  const std::array<uint8_t, 3> bytes = {0x00, 0x01, 0x02};
  EXPECT_EQ(Sum(bytes), 0x0201U);
}

TEST(Checksum, IsTheSameFromAHeaderWordByWord) {
  std::vector<uint8_t> bytes;
  for (uint8_t i = 0; i < 60; ++i) bytes.push_back(static_cast<uint8_t>(7 * i + 200));
  for (size_t size = 4; size <= bytes.size(); size += 4) {
    EXPECT_EQ(Fold(NativeHeaderSum(bytes.data(), size)), Fold(NativeSum({bytes.data(), size})));
    EXPECT_EQ(SwapToBigEndian(Fold(NativeSum({bytes.data(), size}))), Sum({bytes.data(), size}));
  }
}

TEST(Checksum, ARightFieldSumsToZero) {
  std::vector<uint8_t> header = {0x45, 0,    0,    0x73, 0, 0, 0x40, 0,    0x40, 0x11,
                                 0xb8, 0x61, 0xc0, 0xa8, 0, 1, 0xc0, 0xa8, 0,    0xc7};
  EXPECT_EQ(Checksum(header), 0);
}

TEST(Fold, KeepsTheValueModulo65535) {
  for (const uint64_t sum : {uint64_t{1}, uint64_t{0xffff}, uint64_t{0x10000}, uint64_t{0xfffeffff},
                             uint64_t{0xffffffff}, uint64_t{1} << 63, UINT64_MAX}) {
    EXPECT_EQ(Fold(sum) % 0xffff, sum % 0xffff) << sum;
    EXPECT_NE(Fold(sum), 0) << sum;
  }
  EXPECT_EQ(Fold(0), 0);
}

}  // namespace
}  // namespace tester::wire
