// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/frames/column.h"

#include <cstring>

namespace tester {

TESTER_COLUMN_LOOP void AddUp(std::span<const ShiftedColumn> terms, const Column* columns,
                              uint64_t first, size_t count, Column& sums) {
  for (size_t i = 0; i < count; i += kLanes) {
    Lanes sum = Lanes{} + first;
    for (const ShiftedColumn& term : terms) {
      Lanes each;
      std::memcpy(&each, &columns[term.column][i], sizeof each);
      sum += each << term.shift;
    }
    std::memcpy(&sums[i], &sum, sizeof sum);
  }
}

}  // namespace tester
