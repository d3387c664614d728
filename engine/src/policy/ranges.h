// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Sets of numbers as wide as an address.
#pragma once

#include <optional>
#include <vector>

#include "base/int128.h"

namespace tester {

struct Range {
  Uint128 first;
  Uint128 last;

  bool operator==(const Range&) const = default;
};

class Ranges {
 public:
  void Add(Range range);

  bool empty() const { return ranges_.empty(); }
  bool Contains(Uint128 value) const { return !FirstOutside({value, value}); }
  // The lowest number of a range that is not in the set; nothing when all are.
  std::optional<Uint128> FirstOutside(Range range) const;

 private:
  std::vector<Range> ranges_;  // ascending, with gaps between them
};

}  // namespace tester
