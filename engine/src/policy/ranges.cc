// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "policy/ranges.h"

#include <algorithm>

namespace tester {

void Ranges::Add(Range range) {
  constexpr Uint128 kMost = ~Uint128{0};
  std::vector<Range> merged;
  for (const Range& other : ranges_) {
    const bool is_below = other.last != kMost && other.last + 1 < range.first;
    const bool is_above = range.last != kMost && range.last + 1 < other.first;
    if (is_below || is_above) {
      merged.push_back(other);
    } else {
      range = {std::min(range.first, other.first), std::max(range.last, other.last)};
    }
  }
  merged.push_back(range);
  std::ranges::sort(merged, {}, &Range::first);
  ranges_ = std::move(merged);
}

std::optional<Uint128> Ranges::FirstOutside(Range range) const {
  const auto above = std::ranges::upper_bound(ranges_, range.first, {}, &Range::first);
  if (above == ranges_.begin()) return range.first;
  const Range& at = *(above - 1);
  if (at.last < range.first) return range.first;
  if (at.last >= range.last) return std::nullopt;
  return at.last + 1;
}

}  // namespace tester
