// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// RANDOM(seed, k) of plan.proto (Random): output k of the generator SplitMix64. It is a function of
// k: no output needs the outputs before it.
#pragma once

#include <cstdint>

namespace tester {

constexpr uint64_t RandomNumber(uint64_t seed, uint64_t k) {
  uint64_t z = seed + (k + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

}  // namespace tester
