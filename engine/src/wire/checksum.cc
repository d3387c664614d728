// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "wire/checksum.h"

#include <cstddef>

#include "wire/bytes.h"

namespace tester::wire {

uint64_t Sum(std::span<const uint8_t> bytes) {
  uint64_t sum = 0;
  size_t i = 0;
  for (; i + 2 <= bytes.size(); i += 2) sum += Load16(bytes.data() + i);
  if (i < bytes.size()) sum += static_cast<uint64_t>(bytes[i]) << 8;
  return sum;
}

}  // namespace tester::wire
