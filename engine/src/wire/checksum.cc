// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "wire/checksum.h"

#include <cstddef>

#include "wire/bytes.h"

namespace tester::wire {
namespace {

uint32_t LoadNative32(const uint8_t* from) {
  uint32_t value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

}  // namespace

// In the order of the machine's bytes, whose sum is that of the other order with its bytes swapped
// (RFC 1071 2 (B)): so no word has to be, and the compiler adds several at once.
uint64_t Sum(std::span<const uint8_t> bytes) {
  uint64_t sum = 0;
  size_t i = 0;
  for (; i + 4 <= bytes.size(); i += 4) sum += LoadNative32(bytes.data() + i);
  uint64_t big = SwapToBigEndian(Fold(sum));
  for (; i + 2 <= bytes.size(); i += 2) big += Load16(bytes.data() + i);
  if (i < bytes.size()) big += static_cast<uint64_t>(bytes[i]) << 8;
  return big;
}

}  // namespace tester::wire
