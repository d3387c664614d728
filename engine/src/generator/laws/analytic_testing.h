// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// For tests of laws that know any frame's time without those before.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "generator/laws/law_place.h"

namespace tester {

// A frame is due by an instant if its time is at or before it. Frames due before an instant are
// those due by the nanosecond before, and at most one more within the last nanosecond.
template <typename Law>
void ExpectCountsAndTimesAgree(const Law& law) {
  uint64_t due = 0;
  for (uint64_t t = 0; t < 3000; ++t) {
    const uint64_t before = law.DueBefore(t);
    ASSERT_GE(before, due) << t;
    while (due < before) ASSERT_LE(law.DueNs(due++), t) << due;
    while (law.DueNs(due) <= t) ++due;
    ASSERT_EQ(law.DueBy(t), due) << t;
  }
  for (uint64_t k = 0; law.DueNs(k) < 1'000'000'000 && k < 3000; ++k) {
    ASSERT_GE(law.DueBy(law.DueNs(k)), k + 1);
    if (law.DueNs(k) > 0) {
      ASSERT_LE(law.DueBy(law.DueNs(k) - 1), k);
    }
  }
}

}  // namespace tester
