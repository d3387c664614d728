// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The Internet checksum (RFC 1071).
#pragma once

#include <cstdint>
#include <span>

namespace tester::wire {

// Folds a sum of 16-, 32- or 64-bit words to 16 bits, one's complement. 0 only for 0.
constexpr uint16_t Fold(uint64_t sum) {
  sum = (sum & 0xffffffff) + (sum >> 32);
  sum = (sum & 0xffffffff) + (sum >> 32);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(sum);
}

// What to add so that the value itself is not in a sum any more; 0 to 0xffff.
constexpr uint16_t Negative(uint64_t value) { return static_cast<uint16_t>(~Fold(value)); }

// The sum of 16-bit big-endian words, not folded; an odd last byte counts as the high half.
uint64_t Sum(std::span<const uint8_t> bytes);

// What a checksum field has to hold for bytes whose field is 0.
inline uint16_t Checksum(std::span<const uint8_t> bytes, uint64_t initial = 0) {
  return static_cast<uint16_t>(~Fold(initial + Sum(bytes)));
}

}  // namespace tester::wire
