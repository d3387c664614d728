// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/field.h"

#include <algorithm>
#include <array>

#include "wire/bytes.h"

namespace tester {
namespace {

constexpr uint32_t kWindowBits = 64;

constexpr uint64_t LowBits(uint32_t bits) {
  return bits == kWindowBits ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

template <typename Word>
void WriteWords(uint32_t offset, uint8_t value_shift, const uint64_t* values, size_t count,
                uint8_t* const* frames) {
  for (size_t i = 0; i < count; ++i) {
    wire::Store(frames[i] + offset, static_cast<Word>(values[i] >> value_shift));
  }
}

}  // namespace

Field::Field(uint32_t bit_offset, uint32_t bits) : bit_offset_(bit_offset), bits_(bits) {
  const uint32_t before = bit_offset % 8;
  if (before == 0 && bits % 8 == 0) {
    AppendBytes(bit_offset / 8, bits / 8);
  } else if (before + bits <= kWindowBits) {
    AppendBits(bit_offset, bits, 0);
  } else {  // the field is in nine bytes
    const uint32_t high = bits / 2;
    AppendBits(bit_offset, high, bits - high);
    AppendBits(bit_offset + high, bits - high, 0);
  }
}

void Field::AppendBytes(uint32_t offset, uint32_t bytes) {
  struct Store {
    uint32_t bytes;
    Part::Kind kind;
  };
  constexpr std::array<Store, 4> kStores = {{{8, Part::Kind::kWord64},
                                             {4, Part::Kind::kWord32},
                                             {2, Part::Kind::kWord16},
                                             {1, Part::Kind::kByte}}};
  for (const Store& store : kStores) {
    if (bytes < store.bytes) continue;
    bytes -= store.bytes;
    Append({.kind = store.kind,
            .value_shift = static_cast<uint8_t>(8 * bytes),
            .shift = 0,
            .offset = offset,
            .mask = LowBits(8 * store.bytes)});
    offset += store.bytes;
  }
}

void Field::AppendBits(uint32_t bit_offset, uint32_t bits, uint32_t value_shift) {
  // The eight bytes that end with the field's last one; the first eight where there are fewer.
  const uint32_t end = std::max<uint32_t>(kReach, (bit_offset + bits + 7) / 8);
  Append({.kind = Part::Kind::kBits,
          .value_shift = static_cast<uint8_t>(value_shift),
          .shift = static_cast<uint8_t>(8 * end - bit_offset - bits),
          .offset = end - static_cast<uint32_t>(kReach),
          .mask = LowBits(bits)});
}

void Field::Write(const uint64_t* values, size_t count, uint8_t* const* frames) const {
  for (size_t p = 0; p < part_count_; ++p) {
    const Part part = parts_[p];
    switch (part.kind) {
      case Part::Kind::kByte:
        WriteWords<uint8_t>(part.offset, part.value_shift, values, count, frames);
        break;
      case Part::Kind::kWord16:
        WriteWords<uint16_t>(part.offset, part.value_shift, values, count, frames);
        break;
      case Part::Kind::kWord32:
        WriteWords<uint32_t>(part.offset, part.value_shift, values, count, frames);
        break;
      case Part::Kind::kWord64:
        WriteWords<uint64_t>(part.offset, part.value_shift, values, count, frames);
        break;
      case Part::Kind::kBits:
        for (size_t i = 0; i < count; ++i) {
          const uint64_t value = values[i] >> part.value_shift & part.mask;
          uint8_t* const at = frames[i] + part.offset;
          const uint64_t others = wire::Load64(at) & ~(part.mask << part.shift);
          wire::Store64(at, others | value << part.shift);
        }
    }
  }
}

uint64_t Field::Read(const uint8_t* frame) const {
  uint64_t value = 0;
  for (uint32_t bit = bit_offset_; bit < bit_offset_ + bits_; ++bit) {
    value = value << 1 | (frame[bit / 8] >> (7 - bit % 8) & 1);
  }
  return value;
}

}  // namespace tester
