// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/checksums.h"

#include "wire/bytes.h"
#include "wire/checksum.h"
#include "wire/crc32c.h"

namespace tester {
namespace {

constexpr uint32_t kOnes = 0xffff;  // one's-complement sums are numbers modulo this
constexpr uint32_t kWordBits = 16;

// The same modulo 65535, in 33 bits.
constexpr uint64_t HalfSum(uint64_t value) { return (value >> 32) + (value & 0xffffffff); }

// RFC 768: no checksum is sent as 0, so 0 is sent as 0xffff.
template <bool kNotZero>
uint16_t ChecksumOf(uint64_t sum) {
  const auto checksum = static_cast<uint16_t>(~wire::Fold(sum));
  return kNotZero && checksum == 0 ? uint16_t{kOnes} : checksum;
}

template <bool kNotZero>
void WriteInternet(uint32_t offset, const SumColumn& sums, size_t count, uint8_t* const* frames) {
  for (size_t i = 0; i < count; ++i) {
    wire::Store16(frames[i] + offset, ChecksumOf<kNotZero>(sums[i]));
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

void AddToSums(const uint64_t* values, size_t count, uint16_t factor, SumColumn& sums) {
  for (size_t i = 0; i < count; ++i) sums[i] += HalfSum(values[i]) * factor;
}

uint16_t SumOf(const Checksum& checksum, const uint8_t* frame) {
  const auto sum = static_cast<uint16_t>(~wire::Load16(frame + checksum.offset));
  return sum == 0 ? uint16_t{kOnes} : sum;
}

void WriteSum(const Checksum& checksum, uint64_t sum, uint8_t* frame) {
  const bool not_zero = checksum.kind == Checksum::Kind::kInternetNotZero;
  wire::Store16(frame + checksum.offset, not_zero ? ChecksumOf<true>(sum) : ChecksumOf<false>(sum));
}

void WriteSums(const Checksum& checksum, const SumColumn& sums, size_t count,
               uint8_t* const* frames) {
  if (checksum.kind == Checksum::Kind::kInternetNotZero) {
    WriteInternet<true>(checksum.offset, sums, count, frames);
  } else {
    WriteInternet<false>(checksum.offset, sums, count, frames);
  }
}

void WriteCrc(const Checksum& checksum, uint8_t* frame, size_t bytes) {
  uint8_t* const at = frame + checksum.offset;
  wire::StoreLittle32(at, 0);
  const size_t end = bytes - checksum.tail;
  wire::StoreLittle32(at, wire::Crc32c({frame + checksum.begin, end - checksum.begin}));
}

}  // namespace tester
