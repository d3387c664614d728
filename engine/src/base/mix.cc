// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "base/mix.h"

#include <bit>
#include <random>

namespace tester {
namespace {

// A factor of few ones, or few zeros, mixes badly.
bool IsBalanced(uint64_t factor) {
  return std::popcount(factor) >= 24 && std::popcount(factor) <= 40;
}

uint64_t NewSecret() {
  std::random_device random;
  for (;;) {
    const uint64_t factor = uint64_t{random()} << 32 | random() | 1;
    if (IsBalanced(factor)) return factor;
  }
}

}  // namespace

const uint64_t kMixSecret = NewSecret();

}  // namespace tester
