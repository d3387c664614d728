// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "wire/signature.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

namespace tester::wire {
namespace {

using Bytes = std::array<uint8_t, kSignatureBytes>;

TEST(Signature, IsReadAsItWasWritten) {
  Bytes bytes{};
  SignatureWriter(0x1234, 0x4321, 0x0102030405060708).Write(bytes.data(), 0xabcdef012345);
  const Signature read = Signature::Read(bytes.data());
  EXPECT_EQ(read.id, 0x1234);
  EXPECT_EQ(read.sequence, 0xabcdef012345U);
  EXPECT_EQ(read.timestamp_ns, 0x030405060708U) << "modulo 2^48";
}

TEST(Signature, IsInNetworkByteOrder) {
  Bytes bytes{};
  SignatureWriter(0x0102, 0x1, 0x090a0b0c0d0e).Write(bytes.data(), 0x030405060708);
  for (uint8_t i = 0; i < 14; ++i) EXPECT_EQ(bytes[i], i + 1);
}

TEST(Signature, KeepsTheSumOfTheFrame) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 100'000; ++round) {
    Bytes frame;
    std::generate(frame.begin(), frame.end(), [&] { return static_cast<uint8_t>(random()); });
    const uint64_t sum_before = Sum(frame);
    const uint16_t key = SignatureSum(frame.data());
    EXPECT_EQ(key, Fold(sum_before));
    SignatureWriter(static_cast<uint16_t>(random() | 1), key, random())
        .Write(frame.data(), random());
    EXPECT_EQ(SignatureSum(frame.data()), key);
    EXPECT_EQ(Sum(frame) % 0xffff, sum_before % 0xffff);
  }
}

TEST(Signature, TakesZerosAsTheirOtherRepresentation) {
  Bytes frame{};
  EXPECT_EQ(SignatureSum(frame.data()), 0xffff);
  SignatureWriter(7, 0xffff, 8).Write(frame.data(), 9);
  EXPECT_EQ(SignatureSum(frame.data()), 0xffff);
}

TEST(Signature, AWrongBitIsSeen) {
  Bytes frame{};
  SignatureWriter(7, 0x1234, 8).Write(frame.data(), 9);
  for (size_t bit = 0; bit < frame.size() * 8; ++bit) {
    Bytes damaged = frame;
    damaged[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    EXPECT_NE(SignatureSum(damaged.data()), 0x1234) << bit;
  }
}

}  // namespace
}  // namespace tester::wire
