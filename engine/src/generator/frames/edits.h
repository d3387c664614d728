// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Changes from frame to frame of a stream: the fields of its editors, and the checksums that follow
// them. A burst is written column by column: all values of one editor, then all of the next one,
// then all of a checksum, then all fields that share a window.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/burst.h"
#include "generator/frames/checksums.h"
#include "generator/frames/column.h"
#include "generator/frames/editor.h"
#include "generator/frames/template.h"
#include "generator/frames/windows.h"

namespace tester {

using EditorPlaces = std::array<EditorPlace, kMaxEditors>;

class Edits {
 public:
  // Every frame must have at least `bytes` bytes. CRCs are passed over.
  Edits(std::vector<Editor> editors, const std::vector<Checksum>& checksums, size_t bytes);

  bool empty() const { return editors_.empty(); }

  // For each sum that Write makes: the share of everything in `frame` but the edited fields.
  std::vector<uint64_t> Unedited(const uint8_t* frame) const;

  // Edits the frames of a run, which hold their templates. `same`: all have one template.
  void Write(EditorPlaces& places, const FrameRun& run, const Template* const* chosen, bool same,
             uint8_t* const* frames) const;

 private:
  // A checksum that editors change.
  struct Summed {
    Checksum checksum;
    std::vector<ShiftedColumn> shares;  // of the editors' columns
  };

  // A field of more bits than a window takes has two columns, of its high and of its low bits.
  static constexpr size_t kMostColumns = 2 * kMaxEditors + kMaxChecksums;

  void AddFields(size_t editor);
  void AddChecksum(size_t number, const Checksum& checksum);
  uint64_t SumWithout(const Summed& summed, const uint8_t* frame) const;

  std::vector<Editor> editors_;
  std::vector<Summed> summed_;
  std::vector<Field> fields_;      // by column: of the editors, then of the checksums
  std::vector<size_t> editor_of_;  // by column
  std::vector<Window> windows_;
};

}  // namespace tester
