// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "stats/versions.h"

namespace tester {

void Flips::CarryOut(uint64_t asked, uint64_t sequence) {
  for (uint64_t flip = done_.load(std::memory_order_relaxed) + 1; flip <= asked; ++flip) {
    first_[flip % kRemembered].Set(sequence);
  }
  done_.store(asked, std::memory_order_release);
}

}  // namespace tester
