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
  uint64_t bits;  // those that fields have
  // From the columns of the fields' values to what the window holds, less Unedited.
  std::vector<ShiftedColumn> fields;

  size_t bit_end() const { return 8 * (offset + kBytes); }
  // Adds what of a field lies in the window.
  void Take(const Field& field, size_t column);
  // The bits of a frame in the window that belong to no field.
  uint64_t Unedited(const uint8_t* frame) const;
};

// Those that it takes, to be stored in this order, as one may begin before another one ends; column
// i has the values of field i. No two fields share a bit. No frame that
// is written in is shorter than `bytes`, which is at least kBytes, and no field ends beyond.
std::vector<Window> MakeWindows(std::span<const Field> fields, size_t bytes);

// So many windows are stored at once, so that the way to a frame is gone once.
inline constexpr size_t kWindowsAtOnce = 4;

// Puts into frames what up to kWindowsAtOnce windows are to hold: column i has that of window i.
void StoreWindows(std::span<const Window> windows, Column* words, size_t count,
                  uint8_t* const* frames);

}  // namespace tester
