// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A field of a frame, at any bit and up to 64 bits wide, written in many frames at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tester {

class Field {
 public:
  // From the first bit of the frame, most significant first. bits 1 to 64. No frame that it is
  // written in may be shorter than kReach bytes, nor than the field's end.
  Field(uint32_t bit_offset, uint32_t bits);

  static constexpr size_t kReach = 8;

  uint32_t bit_offset() const { return bit_offset_; }
  uint32_t bits() const { return bits_; }
  uint64_t mask() const { return bits_ == 64 ? ~uint64_t{0} : (uint64_t{1} << bits_) - 1; }

  // Value i goes to frame i; it has no bits beyond the field.
  void Write(const uint64_t* values, size_t count, uint8_t* const* frames) const;
  uint64_t Read(const uint8_t* frame) const;

 private:
  // A part that is stored at once: whole bytes, or some bits of the eight bytes around them.
  struct Part {
    enum class Kind : uint8_t { kBits, kByte, kWord16, kWord32, kWord64 };
    Kind kind;
    uint8_t value_shift;  // of the part's bits in the value
    uint8_t shift;        // kBits: of the part in its eight bytes
    uint32_t offset;
    uint64_t mask;  // of the part's bits, not shifted
  };

  void Append(Part part) { parts_[part_count_++] = part; }
  void AppendBytes(uint32_t offset, uint32_t bytes);
  void AppendBits(uint32_t bit_offset, uint32_t bits, uint32_t value_shift);

  uint32_t bit_offset_;
  uint32_t bits_;
  uint8_t part_count_ = 0;
  std::array<Part, 3> parts_{};
};

}  // namespace tester
