// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Sums and products that end at the greatest 64-bit number: what is due then is never due.
#pragma once

#include <cstdint>

namespace tester {

__extension__ using Wide = unsigned __int128;

constexpr uint64_t Saturate(Wide value) {
  return value > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(value);
}

constexpr uint64_t AddSaturating(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

}  // namespace tester
