// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Numbers of up to 128 bits, in fields of frames and in the state of a flow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/int128.h"
#include "wire/bytes.h"

namespace tester::machine {

// Words of a flow's cache line, and its cold words, which few packets need.
inline constexpr size_t kLineWords = 7;
inline constexpr size_t kColdWordCount = 8;
using Words = std::array<uint64_t, kLineWords + kColdWordCount>;

// The words of a flow, in place: first those of its cache line.
struct State {
  uint64_t* line;
  uint64_t* cold_words;  // read only where a register is in them

  uint64_t& operator[](size_t word) const {
    return word < kLineWords ? line[word] : cold_words[word - kLineWords];
  }
};

constexpr Uint128 MaskOf(uint32_t bits) {
  return bits >= 128 ? ~Uint128{0} : (Uint128{1} << bits) - 1;
}
constexpr uint64_t NarrowMask(uint32_t bits) {
  return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

// Bits of a flow: within one word, or from the beginning of a word on.
struct Register {
  uint8_t word = 0;
  uint8_t shift = 0;
  uint8_t bits = 0;
  uint64_t mask = 0;  // of its lowest 64 bits, not shifted

  static constexpr Register Of(uint32_t offset, uint32_t bits) {
    return {.word = static_cast<uint8_t>(offset / 64),
            .shift = static_cast<uint8_t>(offset % 64),
            .bits = static_cast<uint8_t>(bits),
            .mask = NarrowMask(bits)};
  }

  // Works on a State and on Words.
  template <typename Kept>
  uint64_t Get(const Kept& words) const {
    return words[word] >> shift & mask;
  }
  template <typename Kept>
  void Set(Kept&& words, uint64_t value) const {
    uint64_t& stored = words[word];
    stored = (stored & ~(mask << shift)) | (value & mask) << shift;
  }

  template <typename Kept>
  Uint128 GetWide(const Kept& words) const {
    if (bits <= 64) return Get(words);
    const uint64_t high = words[word + 1U] & NarrowMask(bits - 64U);
    return Uint128{high} << 64 | words[word];
  }
  template <typename Kept>
  void SetWide(Kept&& words, Uint128 value) const {
    if (bits <= 64) return Set(words, static_cast<uint64_t>(value));
    words[word] = static_cast<uint64_t>(value);
    const uint64_t high_mask = NarrowMask(bits - 64U);
    uint64_t& high = words[word + 1U];
    high = (high & ~high_mask) | (static_cast<uint64_t>(value >> 64) & high_mask);
  }

  bool operator==(const Register&) const = default;
};

// Bits of a header: the highest one of its first byte is bit 0.
struct FieldPlace {
  uint8_t header = 0;
  uint8_t bits = 0;  // at most 128
  uint16_t offset = 0;

  size_t first() const { return offset / 8U; }
  size_t bytes() const { return (offset % 8U + bits + 7U) / 8U; }
  bool aligned() const { return offset % 8 == 0 && bits % 8 == 0; }

  bool operator==(const FieldPlace&) const = default;
};

// `header` is where the place's header begins.
inline Uint128 ReadField(const FieldPlace& place, const uint8_t* header) {
  const uint8_t* at = header + place.first();
  if (place.aligned() && place.bits == 32) return wire::Load<uint32_t>(at);
  if (place.aligned() && place.bits == 16) return wire::Load16(at);
  const size_t bytes = place.bytes();
  const uint32_t spare = static_cast<uint32_t>(bytes * 8 - place.offset % 8U - place.bits);
  Uint128 value = 0;
  // A field that covers 17 bytes uses only some bits of the last byte, and as many fewer of the
  // first.
  for (size_t i = 0; i + 1 < bytes; ++i) value = value << 8 | at[i];
  value = value << (8 - spare) | at[bytes - 1] >> spare;
  return value & MaskOf(place.bits);
}

inline void WriteField(const FieldPlace& place, Uint128 value, uint8_t* header) {
  uint8_t* at = header + place.first();
  uint32_t left = place.bits;
  uint32_t spare = static_cast<uint32_t>(place.bytes() * 8 - place.offset % 8U - place.bits);
  for (size_t i = place.bytes(); i-- > 0;) {
    const uint32_t here = left < 8 - spare ? left : 8 - spare;
    const uint32_t mask = ((1U << here) - 1) << spare;
    const uint32_t bits = static_cast<uint32_t>(value & 0xff) << spare & mask;
    at[i] = static_cast<uint8_t>((at[i] & ~mask) | bits);
    value >>= here;
    left -= here;
    spare = 0;
  }
}

}  // namespace tester::machine
