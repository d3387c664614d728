// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "stats/arrival_order.h"

#include <algorithm>

namespace tester {

ArrivalOrder::ArrivalOrder() : missing_(kWindow) {}

// First arrivals until now.
uint32_t ArrivalOrder::Arrivals() const {
  return static_cast<uint32_t>(next_.Get() - skipped_ + overtaken_.Get());
}

ArrivalPlace ArrivalOrder::Skip(uint64_t next, uint64_t sequence) {
  skipped_ += sequence - next;
  next_.Set(sequence + 1);
  const uint32_t arrival = Arrivals();
  for (uint64_t i = std::max(next, sequence - std::min(sequence, kWindow)); i < sequence; ++i) {
    missing_[i % kWindow] = {.round = RoundOf(i), .arrival = arrival};
  }
  return ArrivalPlace::kSkipping;
}

ArrivalPlace ArrivalOrder::LookBack(uint64_t next, uint64_t sequence) {
  if (next - sequence > kWindow) {
    late_.Add(1);
    return ArrivalPlace::kLate;
  }
  Missing& missing = missing_[sequence % kWindow];
  if (missing.round != RoundOf(sequence)) {
    duplicated_.Add(1);
    return ArrivalPlace::kDuplicate;
  }
  missing.round = 0;
  overtaken_.Add(1);
  // RFC 4737 section 4.2.2: i - j, with the arrival i of this one and the first, j, of a higher
  // one.
  const uint32_t extent = Arrivals() - missing.arrival;
  extent_sum_.Add(extent);
  extent_max_.Raise(extent);
  extents_.Add(extent);
  return ArrivalPlace::kOvertaken;
}

}  // namespace tester
