// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The position of a value of at most 64 bits: bits within eight bytes, relative to one of a few
// bases. So all operands of rows are loaded in the same way.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "responder/machine/number.h"
#include "wire/bytes.h"

namespace tester::machine {

// The place that byte offsets count from.
enum Base : uint8_t {
  kNumbers,  // of the machine
  kLine,     // words of the flow
  kColdWords,
  kFacts,        // of the event
  kPacketFacts,  // of the packet in hand, as all behind it
  kFirstHeader,
};

struct FieldLoad {
  enum class Kind : uint8_t { kNone, kNative, kBigEndian };

  Kind kind = Kind::kNone;  // kNone: it is more than a load
  uint8_t base = 0;
  uint8_t shift = 0;
  int32_t byte = 0;
  uint64_t mask = 0;

  bool operator==(const FieldLoad&) const = default;
};

inline constexpr size_t kLoadBytes = sizeof(uint64_t);

// Loads the eight bytes that end with the field's last one: every header but the first one has
// bytes before it. A field in the first bytes of the first header is loaded from its begin.
inline FieldLoad FieldLoadOf(const FieldPlace& place) {
  const size_t bytes = place.bytes();
  const size_t end = place.first() + bytes;
  if (bytes > kLoadBytes || place.bits > 64) return {};
  const size_t behind = place.header == 0 && end < kLoadBytes ? kLoadBytes - end : 0;
  const size_t spare = (behind + bytes) * 8 - place.offset % 8U - place.bits;
  return {.kind = FieldLoad::Kind::kBigEndian,
          .base = static_cast<uint8_t>(kFirstHeader + place.header),
          .shift = static_cast<uint8_t>(spare),
          .byte = static_cast<int32_t>(end + behind - kLoadBytes),
          .mask = NarrowMask(place.bits)};
}

// Loads from any base.
inline uint64_t LoadFrom(const uint8_t* base, const FieldLoad& load) {
  const uint8_t* at = base + load.byte;
  uint64_t word;
  if (load.kind == FieldLoad::Kind::kBigEndian) {
    word = wire::Load<uint64_t>(at);
  } else {
    std::memcpy(&word, at, sizeof word);
  }
  return word >> load.shift & load.mask;
}

template <size_t kCount>
uint64_t Load(const FieldLoad& load, const std::array<const uint8_t*, kCount>& bases) {
  return LoadFrom(bases[load.base], load);
}

}  // namespace tester::machine
