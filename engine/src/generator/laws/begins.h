// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// In which of many stretches that follow each other a value lies.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tester {

// The last stretch that begins at `value` or before. The first one must do so.
inline size_t StretchOf(uint64_t value, const std::vector<uint64_t>& begins) {
  return static_cast<size_t>(std::ranges::upper_bound(begins, value) - begins.begin()) - 1;
}

}  // namespace tester
