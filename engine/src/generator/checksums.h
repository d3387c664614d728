// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Checksums that follow what is edited. An Internet checksum is known from the template's and from
// what was added to it (RFC 1624), so nothing but the edited fields is summed up; a CRC is not.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "generator/burst.h"
#include "generator/field.h"

namespace tester {

inline constexpr size_t kMaxChecksums = 8;

struct Checksum {
  enum class Kind : uint8_t { kInternet, kInternetNotZero, kCrc32c };
  static constexpr size_t kBytes = 2;  // of the Internet kinds
  static constexpr size_t kCrcBytes = 4;

  Kind kind;
  uint32_t offset;  // of its first byte
  uint32_t begin;   // kCrc32c: of what it covers
  uint32_t tail;    // kCrc32c: so many last bytes of the frame are not covered

  size_t bytes() const { return kind == Kind::kCrc32c ? kCrcBytes : kBytes; }
};

// What is added to a field is added so many times to what a checksum covers.
struct Coverage {
  uint8_t checksum;  // index
  int32_t weight;
};

// One-complement sums of what a checksum covers, one for each frame of a burst, not folded.
using SumColumn = std::array<uint64_t, kBurst>;

// What a value of the field counts in the checksum's sum, as a factor below 65535: by where it is
// in its 16-bit word, and how often.
uint16_t Factor(const Field& field, const Checksum& checksum, int32_t weight);

// Adds the values of a field of `bits` bits, times its factor.
void AddToSums(const uint64_t* values, size_t count, uint32_t bits, uint16_t factor,
               SumColumn& sums);

// The sum that a checksum in a frame stands for, 1 to 0xffff.
uint16_t SumOf(const Checksum& checksum, const uint8_t* frame);

// Puts the checksum of a sum into a frame.
void WriteSum(const Checksum& checksum, uint64_t sum, uint8_t* frame);
void WriteSums(const Checksum& checksum, const SumColumn& sums, size_t count,
               uint8_t* const* frames);

// Puts the CRC of a frame into it.
void WriteCrc(const Checksum& checksum, uint8_t* frame, size_t bytes);

}  // namespace tester
