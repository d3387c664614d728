// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/frames/checksums.h"

#include <cstring>

#include "wire/bytes.h"
#include "wire/checksum.h"
#include "wire/crc32c.h"

namespace tester {
namespace {

constexpr uint16_t kOnes = 0xffff;  // one's-complement sums are numbers modulo this
constexpr uint32_t kWordBits = 16;

// RFC 768: no checksum is sent as 0, so 0 is sent as 0xffff.
constexpr uint16_t ForZero(const Checksum& checksum) {
  return checksum.kind == Checksum::Kind::kInternetNotZero ? kOnes : 0;
}

constexpr uint16_t Complement(uint64_t sum, uint16_t for_zero) {
  const auto checksum = static_cast<uint16_t>(~wire::Fold(sum));
  return checksum == 0 ? for_zero : checksum;
}

TESTER_COLUMN_LOOP void Complements(uint16_t for_zero, size_t count, Column& sums) {
  for (size_t i = 0; i < count; i += kLanes) {
    Lanes sum;
    std::memcpy(&sum, &sums[i], sizeof sum);
    sum = (sum & 0xffffffff) + (sum >> 32);
    for (int fold = 0; fold < 3; ++fold) sum = (sum & 0xffff) + (sum >> 16);
    sum = ~sum & 0xffff;
    sum = sum == 0 ? Lanes{} + for_zero : sum;
    std::memcpy(&sums[i], &sum, sizeof sum);
  }
}

}  // namespace

std::vector<ShiftedColumn> SharesOf(const Field& field, size_t column, const Checksum& checksum,
                                    int32_t weight) {
  // From the field's last bit to the end of its word; words begin at the parity of the checksum.
  const uint32_t shift =
      (8 * (checksum.offset % 2) + kWordBits - field.bit_end() % kWordBits) % kWordBits;
  const int64_t times = int64_t{weight} % kOnes + kOnes;
  const uint64_t factor = (static_cast<uint64_t>(times) << shift) % kOnes;
  // Nearly always a power of two, and to shift takes a third of the time that to multiply takes.
  std::vector<ShiftedColumn> shares;
  for (uint32_t bit = 0; bit < kWordBits; ++bit) {
    if ((factor >> bit & 1) != 0) shares.push_back({.column = column, .shift = bit});
  }
  return shares;
}

uint16_t SumOf(const Checksum& checksum, const uint8_t* frame) {
  const auto sum = static_cast<uint16_t>(~wire::Load16(frame + checksum.offset));
  return sum == 0 ? kOnes : sum;
}

uint16_t ChecksumOf(const Checksum& checksum, uint64_t sum) {
  return Complement(sum, ForZero(checksum));
}

void MakeChecksums(const Checksum& checksum, size_t count, Column& sums) {
  Complements(ForZero(checksum), count, sums);
}

void WriteCrc(const Checksum& checksum, uint8_t* frame, size_t bytes) {
  uint8_t* const at = frame + checksum.offset;
  wire::StoreLittle32(at, 0);
  const size_t end = bytes - checksum.tail;
  wire::StoreLittle32(at, wire::Crc32c({frame + checksum.begin, end - checksum.begin}));
}

}  // namespace tester
