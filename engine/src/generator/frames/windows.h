// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Eight bytes of a frame with edited fields in them. They are stored at once, so neighbouring
// fields cost one store together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "generator/frames/column.h"
#include "generator/frames/field.h"

namespace tester {

struct Window {
  static constexpr size_t kBytes = 8;
  static constexpr uint32_t kMostBits = 32;  // of a field, which so lies in a window wherever it is

  size_t offset;  // of its first byte
  uint64_t bits;  // the bits of fields
  // The columns that add up to the contents of the window, less Unedited.
  std::vector<ShiftedColumn> fields;

  size_t bit_end() const { return 8 * (offset + kBytes); }
  // Adds the part of a field that lies in the window.
  void Take(const Field& field, size_t column);
  // The bits of a frame in the window that belong to no field.
  uint64_t Unedited(const uint8_t* frame) const;
};

// The windows of these fields, in the order in which they are stored: a window may begin before the
// one before it ends. Column i has the values of field i. No two fields share a bit. A frame has at
// least `bytes` bytes, which is at least kBytes, and no field ends beyond.
std::vector<Window> MakeWindows(std::span<const Field> fields, size_t bytes);

// The number of windows that are stored in one pass over the frames.
inline constexpr size_t kWindowsAtOnce = 4;

// Stores up to kWindowsAtOnce windows into frames: column i has the contents of window i.
void StoreWindows(std::span<const Window> windows, Column* words, size_t count,
                  uint8_t* const* frames);

}  // namespace tester
