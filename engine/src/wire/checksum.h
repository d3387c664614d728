// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The Internet checksum (RFC 1071).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "wire/bytes.h"

namespace tester::wire {

// Folds a sum of 16-, 32- or 64-bit words to 16 bits, one's complement. 0 only for 0.
constexpr uint16_t Fold(uint64_t sum) {
  sum = (sum & 0xffffffff) + (sum >> 32);
  sum = (sum & 0xffffffff) + (sum >> 32);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(sum);
}

// The summand that takes the value itself out of a sum; 0 to 0xffff.
constexpr uint16_t Negative(uint64_t value) { return static_cast<uint16_t>(~Fold(value)); }

// The sum of 16-bit words in the byte order of the machine, not folded; the other order gives the
// sum with its bytes swapped (RFC 1071 2 (B)). An odd last byte counts as the first one of a word.
uint64_t NativeSum(std::span<const uint8_t> bytes);

// The sum of whole words of 32 bits, as in headers. Inline, without a call.
inline uint64_t NativeHeaderSum(const uint8_t* at, size_t bytes) {
  uint64_t sum = 0;
  for (const uint8_t* const end = at + bytes; at < end; at += sizeof(uint32_t)) {
    uint32_t word;
    std::memcpy(&word, at, sizeof word);
    sum += word;
  }
  return sum;
}

// The sum of 16-bit big-endian words, folded; an odd last byte counts as the high half.
inline uint64_t Sum(std::span<const uint8_t> bytes) {
  return SwapToBigEndian(Fold(NativeSum(bytes)));
}

// The checksum of bytes with a checksum field of 0.
inline uint16_t Checksum(std::span<const uint8_t> bytes, uint64_t initial = 0) {
  return static_cast<uint16_t>(~Fold(initial + Sum(bytes)));
}

}  // namespace tester::wire
