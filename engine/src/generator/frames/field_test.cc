// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/frames/field.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace tester {
namespace {

using Bytes = std::vector<uint8_t>;

void WriteBit(Bytes& frame, uint32_t bit, bool one) {
  const auto mask = static_cast<uint8_t>(0x80 >> bit % 8);
  uint8_t& byte = frame[bit / 8];
  byte = static_cast<uint8_t>(one ? byte | mask : byte & ~mask);
}

// Every width at every offset, first and last bit of the frame included, changes its own bits only.
// The frame ends where the sanitizer sees a step beyond it.
TEST(Field, WritesItsBitsAndNoOthers) {
  std::mt19937_64 random(1);
  constexpr uint32_t kFrameBits = 8 * 24;
  for (uint32_t bits = 1; bits <= 64; ++bits) {
    for (uint32_t offset = 0; offset + bits <= kFrameBits; ++offset) {
      Bytes frame(kFrameBits / 8);
      for (auto& byte : frame) byte = static_cast<uint8_t>(random());
      const Field field(offset, bits);
      const uint64_t value = random() & field.mask();
      Bytes expected = frame;
      for (uint32_t i = 0; i < bits; ++i) {
        WriteBit(expected, offset + i, (value >> (bits - 1 - i) & 1) != 0);
      }
      field.Write(value, frame.data());
      ASSERT_EQ(frame, expected) << bits << " bits at " << offset;
      ASSERT_EQ(field.Read(frame.data()), value);
    }
  }
}

}  // namespace
}  // namespace tester
