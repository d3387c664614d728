// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "wire/checksum.h"

#include <array>
#include <cstddef>

#include "base/int128.h"

namespace tester::wire {
namespace {

template <typename Integer>
Integer LoadNative(const uint8_t* from) {
  Integer value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

}  // namespace

// Two sums, because each waits for its carry.
uint64_t NativeSum(std::span<const uint8_t> bytes) {
  const uint8_t* at = bytes.data();
  size_t left = bytes.size();
  Uint128 first = 0;
  Uint128 second = 0;
  for (; left >= 32; left -= 32, at += 32) {
    first += LoadNative<uint64_t>(at);
    second += LoadNative<uint64_t>(at + 8);
    first += LoadNative<uint64_t>(at + 16);
    second += LoadNative<uint64_t>(at + 24);
  }
  for (; left >= 8; left -= 8, at += 8) first += LoadNative<uint64_t>(at);
  first += second;
  const auto low = static_cast<uint64_t>(first);
  uint64_t sum = (low & UINT32_MAX) + (low >> 32) + static_cast<uint64_t>(first >> 64);
  if (left >= 4) {
    sum += LoadNative<uint32_t>(at);
    left -= 4;
    at += 4;
  }
  if (left >= 2) {
    sum += LoadNative<uint16_t>(at);
    left -= 2;
    at += 2;
  }
  if (left != 0) {
    const std::array<uint8_t, 2> word = {*at, 0};
    sum += LoadNative<uint16_t>(word.data());
  }
  return sum;
}

}  // namespace tester::wire
