// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/frames/editor.h"

#include <algorithm>
#include <array>

#include "base/burst.h"

namespace tester {

void Editor::Fill(EditorPlace& place, uint64_t first, size_t count, uint64_t* values) const {
  if (every == 1) {
    FillValues(source, place.source, first, count, values);
  } else {
    FillSlowly(place, first, count, values);
  }
}

void Editor::FillSlowly(EditorPlace& place, uint64_t first, size_t count, uint64_t* values) const {
  if (place.left == 0 || place.next != first) {
    place.left = every - first % every;
    place.number = first / every;
    FillValues(source, place.source, place.number, 1, &place.value);
  }
  place.next = first + count;
  // The values that the burst needs after the present one, which it may or may not use up.
  std::array<uint64_t, kBurst> more;
  const size_t needed = count < place.left ? 0 : 1 + (count - place.left) / every;
  if (needed > 0) FillValues(source, place.source, place.number + 1, needed, more.data());
  place.number += needed;
  for (size_t used = 0;;) {
    const auto same = static_cast<size_t>(std::min<uint64_t>(count, place.left));
    values = std::fill_n(values, same, place.value);
    place.left -= same;
    count -= same;
    if (place.left > 0) return;
    place.value = more[used++];
    place.left = every;
  }
}

}  // namespace tester
