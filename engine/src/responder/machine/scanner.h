// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// An automaton that finds texts and numbers in a stream of bytes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "responder/machine/limits.h"
#include "responder/machine/number.h"

namespace tester::machine {

struct Assignment {
  uint16_t reg;
  Uint128 value;
};

// The number behind a text. `before`: bytes that may be behind it and its blanks; none: anything.
struct ScannedNumber {
  uint16_t reg = kNone;  // kNone: no number
  uint8_t base = 10;
  std::vector<uint8_t> before;
  std::vector<Assignment> otherwise;  // assignments for a malformed number
};

struct Find {
  std::vector<Assignment> set;
  std::vector<Assignment> add;
  ScannedNumber number;
};

// A state that all bytes but a few lead back to.
struct Resting {
  static constexpr size_t kMostBytes = 3;

  bool rests = false;
  std::array<uint8_t, kMostBytes> leaving{};  // padded by repeating the last one
};

struct Scanner {
  // The bits of a step: where the steps of the next state begin, and whether that state finds
  // something, or rests.
  static constexpr uint32_t kFinds = uint32_t{1} << 31;
  static constexpr uint32_t kRests = uint32_t{1} << 30;
  static constexpr uint32_t kBegin = kRests - 1;

  uint32_t BeginOf(uint32_t state) const { return state << shift; }
  uint32_t StateAt(uint32_t begin) const { return begin >> shift; }

  uint16_t reg;
  uint16_t most;
  uint16_t ended;
  uint16_t overlong;
  uint8_t shift;  // of as many steps for each state, a power of 2
  uint16_t ends;
  uint16_t begin = kNone;  // the find that is complete before the first byte
  std::array<uint8_t, 256> class_of;
  std::vector<uint32_t> steps;
  std::vector<Resting> resting;  // by state
  std::vector<std::vector<uint8_t>> found;
  std::vector<Find> finds;
};

}  // namespace tester::machine
