// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Checksums of edited frames. An Internet checksum follows from the template's checksum and the
// edited fields (RFC 1624), so only these are summed up; a CRC covers all bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "generator/frames/column.h"
#include "generator/frames/field.h"

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
  Field field() const { return {8 * offset, static_cast<uint32_t>(8 * bytes())}; }
};

// Says how often a value that is added to a field is added to the sum that a checksum covers.
struct Coverage {
  uint8_t checksum;  // index
  int32_t weight;
};

// Shares of a column's values in the sum that a checksum covers, in one's complement. They depend
// on where the field, of at most 32 bits, lies in its 16-bit word, and on how often it is added.
std::vector<ShiftedColumn> SharesOf(const Field& field, size_t column, const Checksum& checksum,
                                    int32_t weight);

// The sum that a checksum in a frame stands for, 1 to 0xffff.
uint16_t SumOf(const Checksum& checksum, const uint8_t* frame);

// The value of the checksum's field for a sum, which need not be folded.
uint16_t ChecksumOf(const Checksum& checksum, uint64_t sum);

// Makes checksums from a column of sums, in place.
void MakeChecksums(const Checksum& checksum, size_t count, Column& sums);

// Puts the CRC of a frame into it.
void WriteCrc(const Checksum& checksum, uint8_t* frame, size_t bytes);

}  // namespace tester
