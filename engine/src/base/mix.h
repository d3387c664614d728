// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A hash of words, one after the other: the halves of a product of 128 bits, as in wyhash. The
// factor is a secret of the process: a device cannot send keys that meet in a slot of a table.
#pragma once

#include <bit>
#include <cstdint>

#include "base/int128.h"

namespace tester {

inline constexpr uint64_t kMixBegin = 0xa0761d6478bd642f;

// Random and odd, with about as many ones as zeros.
[[gnu::visibility("hidden")]] extern const uint64_t kMixSecret;

inline uint64_t MixProduct(uint64_t a, uint64_t b) {
  const Uint128 product = static_cast<Uint128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline uint64_t Mix(uint64_t hash, uint64_t word) {
  return MixProduct(hash ^ word, kMixSecret) ^ 0x8ebc6af09c88c6e3;
}

// Two words at once. The secret is in both factors: no word makes the product 0.
inline uint64_t MixPair(uint64_t first, uint64_t second) {
  return MixProduct(first ^ std::rotl(kMixSecret, 32), second ^ kMixSecret);
}

}  // namespace tester
