// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A field that changes from frame to frame, with a column of values for each burst.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "generator/frames/checksums.h"
#include "generator/frames/field.h"
#include "generator/frames/source.h"

namespace tester {

inline constexpr size_t kMaxEditors = 16;

// How far an editor has come. A new one stands before frame 0.
struct EditorPlace {
  SourcePlace source;
  uint64_t next = 0;  // frame
  // If a value lasts for several frames: the value of the next frame, its number, and how often it
  // remains.
  uint64_t value = 0;
  uint64_t number = 0;
  uint64_t left = 0;
};

struct Editor {
  Field field;
  uint64_t every;  // this many successive frames have the same value
  Source source;
  std::vector<Coverage> coverage;

  // The values of the field in frames first to first + count - 1; count at most kBurst.
  void Fill(EditorPlace& place, uint64_t first, size_t count, uint64_t* values) const;

 private:
  void FillSlowly(EditorPlace& place, uint64_t first, size_t count, uint64_t* values) const;
};

}  // namespace tester
