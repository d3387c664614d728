// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The position of the version in a frame: one bit of one byte.
#pragma once

#include <cstdint>

#include "wire/bytes.h"

namespace tester {

struct VersionBit {
  static constexpr uint16_t kNone = UINT16_MAX;

  uint16_t byte = kNone;
  uint8_t shift = 0;

  bool operator==(const VersionBit&) const = default;

  // `bit_offset` from the first bit of the frame, most significant first.
  static constexpr VersionBit At(uint32_t bit_offset) {
    return {.byte = static_cast<uint16_t>(bit_offset / 8),
            .shift = static_cast<uint8_t>(7 - bit_offset % 8)};
  }

  bool exists() const { return byte != kNone; }

  // 0 for a frame that is too short to have one.
  uint32_t Of(Frame frame) const { return byte < frame.size() ? (frame[byte] >> shift & 1U) : 0U; }
};

}  // namespace tester
