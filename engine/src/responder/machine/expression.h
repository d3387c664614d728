// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Values that rows ask for and write.
#pragma once

#include <cstdint>

#include "responder/machine/field_load.h"
#include "responder/machine/number.h"

namespace tester::machine {

struct Operand {
  enum class Kind : uint8_t { kNumber, kRegister, kField, kFact };

  Kind kind = Kind::kNumber;
  uint8_t bits = 0;    // it needs at most
  Register reg{};      // kRegister
  FieldPlace place{};  // kField
  Uint128 number = 0;
  FieldLoad load{};  // not of more than 64 bits, nor of the length of a message
};

enum class Operator : uint8_t { kAdd, kSubtract, kMultiply, kShiftLeft, kShiftRight, kAnd, kOr };

struct Term {
  Operator op;
  uint16_t operand;
  FieldLoad load;

  bool operator==(const Term&) const = default;
};

struct Expression {
  uint32_t first;  // of the terms
  uint8_t terms;
  bool wide;     // needs more than 64 bits, sign included
  uint8_t bits;  // bits of the unsigned value; 128 for more than 127

  bool operator==(const Expression&) const = default;
};

}  // namespace tester::machine
