// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/frames/field.h"

namespace tester {
namespace {

constexpr uint8_t BitOf(uint32_t bit) { return static_cast<uint8_t>(0x80 >> bit % 8); }

}  // namespace

void Field::Write(uint64_t value, uint8_t* frame) const {
  for (uint32_t bit = bit_end(); bit-- > bit_offset_; value >>= 1) {
    uint8_t& byte = frame[bit / 8];
    byte = static_cast<uint8_t>((value & 1) != 0 ? byte | BitOf(bit) : byte & ~BitOf(bit));
  }
}

uint64_t Field::Read(const uint8_t* frame) const {
  uint64_t value = 0;
  for (uint32_t bit = bit_offset_; bit < bit_end(); ++bit) {
    value = value << 1 | ((frame[bit / 8] & BitOf(bit)) != 0 ? 1 : 0);
  }
  return value;
}

}  // namespace tester
