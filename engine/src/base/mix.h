// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A hash of words, one after the other: the halves of a product of 128 bits, as wyhash has it.
#pragma once

#include <cstdint>

namespace tester {

inline constexpr uint64_t kMixBegin = 0xa0761d6478bd642f;

constexpr uint64_t Mix(uint64_t hash, uint64_t word) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(hash ^ word) * 0xe7037ed1a0b428db;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64) ^ 0x8ebc6af09c88c6e3;
}

}  // namespace tester
