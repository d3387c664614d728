// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "wire/checksum.h"

#include <cstddef>

#include "wire/bytes.h"

namespace tester::wire {
namespace {

__extension__ using Wide = unsigned __int128;

template <typename Integer>
Integer LoadNative(const uint8_t* from) {
  Integer value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

}  // namespace

// In the order of the machine's bytes, whose sum is that of the other order with its bytes swapped
// (RFC 1071 2 (B)): so no word has to be. Two sums, because each waits for its carry.
uint64_t Sum(std::span<const uint8_t> bytes) {
  const uint8_t* at = bytes.data();
  size_t left = bytes.size();
  Wide first = 0;
  Wide second = 0;
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
  uint64_t big = SwapToBigEndian(Fold(sum));
  if (left >= 2) {
    big += Load16(at);
    left -= 2;
    at += 2;
  }
  if (left != 0) big += static_cast<uint64_t>(*at) << 8;
  return big;
}

}  // namespace tester::wire
