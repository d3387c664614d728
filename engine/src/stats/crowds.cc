// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "stats/crowds.h"

#include <algorithm>

namespace tester {

void Crowds::Add(uint64_t first, uint64_t end) {
  const uint64_t runs = runs_.Get();
  if (runs > 0) {
    Run& last = run_[(runs - 1) % kRemembered];
    if (first <= last.end.Get()) {
      last.end.Raise(end);
      return;
    }
  }
  run_[runs % kRemembered].first.Set(first);
  run_[runs % kRemembered].end.Set(end);
  runs_.Set(runs + 1);
}

std::optional<uint64_t> Crowds::CountOf(uint64_t first, uint64_t end) const {
  const uint64_t runs = runs_.Get();
  uint64_t count = 0;
  for (uint64_t i = runs; i > 0; --i) {
    if (i + kLegible <= runs) return std::nullopt;
    const Run& run = run_[(i - 1) % kRemembered];
    if (run.end.Get() <= first) break;
    const uint64_t from = std::max(first, run.first.Get());
    const uint64_t to = std::min(end, run.end.Get());
    if (from < to) count += to - from;
  }
  return count;
}

}  // namespace tester
