// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Sums and products that saturate at the greatest 64-bit number: an instant that is never reached.
#pragma once

#include <cstdint>

#include "base/int128.h"

namespace tester {

constexpr uint64_t Saturate(Uint128 value) {
  return value > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(value);
}

constexpr uint64_t AddSaturating(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

}  // namespace tester
