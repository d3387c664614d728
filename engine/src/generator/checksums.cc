// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/checksums.h"

#include <cstring>

#include "generator/column.h"
#include "wire/bytes.h"
#include "wire/checksum.h"
#include "wire/crc32c.h"

namespace tester {
namespace {

constexpr uint16_t kOnes = 0xffff;  // one's-complement sums are numbers modulo this
constexpr uint32_t kWordBits = 16;

// The same modulo 65535, in 33 bits.
constexpr uint64_t HalfSum(uint64_t value) { return (value >> 32) + (value & 0xffffffff); }

// What fits 32 bits is multiplied much faster.
TESTER_COLUMN_LOOP void AddNarrow(const uint64_t* values, size_t count, uint32_t factor,
                                  uint64_t* sums) {
  for (size_t i = 0; i < count; ++i) {
    sums[i] += uint64_t{static_cast<uint32_t>(values[i])} * factor;
  }
}

TESTER_COLUMN_LOOP void AddWide(const uint64_t* values, size_t count, uint32_t factor,
                                uint64_t* sums) {
  for (size_t i = 0; i < count; ++i) sums[i] += HalfSum(values[i]) * factor;
}

// RFC 768: no checksum is sent as 0, so 0 is sent as 0xffff.
TESTER_COLUMN_LOOP void MakeChecksums(const uint64_t* sums, size_t count, bool not_zero,
                                      uint16_t* checksums) {
  const uint16_t for_zero = not_zero ? kOnes : 0;
  for (size_t i = 0; i < count; ++i) {
    const auto checksum = static_cast<uint16_t>(~wire::Fold(sums[i]));
    checksums[i] = wire::SwapToBigEndian(checksum == 0 ? for_zero : checksum);
  }
}

}  // namespace

uint16_t Factor(const Field& field, const Checksum& checksum, int32_t weight) {
  // From the field's last bit to the end of its word; words begin at the parity of the checksum.
  const uint32_t end = field.bit_offset() + field.bits();
  const uint32_t shift = (8 * (checksum.offset % 2) + kWordBits - end % kWordBits) % kWordBits;
  const int64_t times = int64_t{weight} % kOnes + kOnes;
  return static_cast<uint16_t>((static_cast<uint64_t>(times) << shift) % kOnes);
}

void AddToSums(const uint64_t* values, size_t count, uint32_t bits, uint16_t factor,
               SumColumn& sums) {
  constexpr uint32_t kNarrow = 32;
  (bits <= kNarrow ? AddNarrow : AddWide)(values, count, factor, sums.data());
}

uint16_t SumOf(const Checksum& checksum, const uint8_t* frame) {
  const auto sum = static_cast<uint16_t>(~wire::Load16(frame + checksum.offset));
  return sum == 0 ? kOnes : sum;
}

void WriteSum(const Checksum& checksum, uint64_t sum, uint8_t* frame) {
  WriteSums(checksum, {sum}, 1, &frame);
}

void WriteSums(const Checksum& checksum, const SumColumn& sums, size_t count,
               uint8_t* const* frames) {
  std::array<uint16_t, kBurst> ready;
  const bool not_zero = checksum.kind == Checksum::Kind::kInternetNotZero;
  MakeChecksums(sums.data(), count, not_zero, ready.data());
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(frames[i] + checksum.offset, &ready[i], sizeof ready[i]);
  }
}

void WriteCrc(const Checksum& checksum, uint8_t* frame, size_t bytes) {
  uint8_t* const at = frame + checksum.offset;
  wire::StoreLittle32(at, 0);
  const size_t end = bytes - checksum.tail;
  wire::StoreLittle32(at, wire::Crc32c({frame + checksum.begin, end - checksum.begin}));
}

}  // namespace tester
