// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Rows of a table: the questions that lead to one, and its actions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "responder/machine/field_load.h"
#include "responder/machine/limits.h"
#include "responder/machine/number.h"

namespace tester::machine {

enum class Relation : uint8_t {
  kIs,
  kNot,
  kBelow,
  kAtMost,
  kAbove,
  kAtLeast,
  kBefore,
  kNotAfter,
  kAfter,
  kNotBefore
};

struct Test {
  // kOperands: both sides are single operands of at most 64 bits; kNarrow: expressions of at most
  // 64 bits.
  enum class Kind : uint8_t { kOperands, kNarrow, kWide, kMask, kBegins };

  Kind kind;
  Relation relation{};
  uint8_t bits = 0;
  uint16_t left = 0;  // operand or expression; of kBegins the number of bytes
  uint16_t right = 0;
  uint64_t mask = 0;
  uint64_t value = 0;
  std::array<uint8_t, 64> octets{};  // kBegins
};

// How two numbers are to each other, and so each relation between them holds or does not.
enum Comparison : uint8_t { kSame, kHigher, kHigherBefore, kLower, kLowerBefore, kComparisons };
inline constexpr uint32_t kAllOutcomes = (1U << kComparisons) - 1;

// One question on the way to a row.
struct Decision {
  // kPair: two operands; kValues: two narrow expressions; kMask: bits of an operand; kTest: any
  // test; kChoice: the value of an operand of at most 8 bits.
  enum class Kind : uint8_t { kPair, kValues, kMask, kTest, kChoice };
  // Marks the next step as a row, or as the end.
  static constexpr uint32_t kRow = uint32_t{1} << 31;
  static constexpr uint32_t kNoRow = UINT32_MAX;
  static constexpr uint32_t kUndecided = UINT32_MAX - 1;  // all rows are tried

  Kind kind;
  uint16_t left = 0;  // expression; kTest: test; kChoice: which one
  uint16_t right = 0;
  FieldLoad first{};
  FieldLoad second{};
  uint64_t mask = 0;
  uint64_t value = 0;
  std::array<uint32_t, kComparisons> next{};  // by outcome, or no and yes

  bool operator==(const Decision&) const = default;
};

struct Row {
  uint32_t first_test;
  uint32_t first_action;
  uint16_t tests;
  uint16_t actions;
  uint16_t to;  // kNone: the same state

  bool operator==(const Row&) const = default;
};

// The index of the action in action_list.h.
enum class ActionKind : uint8_t {};

enum class VariableChange : uint8_t { kSet, kAdd, kSubtract, kLimit, kRaise };
inline constexpr size_t kVariableChanges = 5;

// NAME_action.h documents a, b and c.
struct Action {
  ActionKind kind{};
  uint8_t detail = 0;
  uint16_t a = 0;
  uint16_t b = 0;
  uint16_t c = 0;
  Register reg{};    // of a change, or of a timer
  FieldLoad load{};  // of a change by one operand

  bool operator==(const Action&) const = default;
};

}  // namespace tester::machine
