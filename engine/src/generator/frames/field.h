// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A field of a frame, at any bit and up to 64 bits wide.
#pragma once

#include <cstdint>

namespace tester {

class Field {
 public:
  // From the first bit of the frame, most significant first. bits 1 to 64.
  constexpr Field(uint32_t bit_offset, uint32_t bits) : bit_offset_(bit_offset), bits_(bits) {}

  uint32_t bit_offset() const { return bit_offset_; }
  uint32_t bits() const { return bits_; }
  uint32_t bit_end() const { return bit_offset_ + bits_; }
  uint64_t mask() const { return bits_ == 64 ? ~uint64_t{0} : (uint64_t{1} << bits_) - 1; }

  bool operator==(const Field&) const = default;
  // Whether a bit is in both.
  bool Overlaps(const Field& other) const {
    return bit_offset() < other.bit_end() && other.bit_offset() < bit_end();
  }

  // Writes one frame, bit by bit; Windows writes many. The frame must not end before the field
  // does, and the value must fit the field.
  void Write(uint64_t value, uint8_t* frame) const;
  uint64_t Read(const uint8_t* frame) const;

 private:
  uint32_t bit_offset_;
  uint32_t bits_;
};

}  // namespace tester
