// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The operations of every row of every packet: values of at most 64 bits, and tests. They are in a
// header to be inlined.
#pragma once

#include <algorithm>
#include <cstdint>

#include "responder/machine/context.h"
#include "wire/bytes.h"

namespace tester::machine {

inline uint64_t NarrowOf(const Operand& operand, const Context& context, size_t table) {
  if (operand.load.kind != FieldLoad::Kind::kNone) [[likely]] {
    return Load(operand.load, context.bases);
  }
  return RareOf(operand, context, table);
}

// Two's complement, truncated to the type: its bits are those of the exact value.
template <typename Number, typename Bits>
Number Apply(Operator op, Number left, Bits right) {
  constexpr Bits kMostShift = 63;
  switch (op) {
    case Operator::kAdd:
      return static_cast<Number>(static_cast<Bits>(left) + right);
    case Operator::kSubtract:
      return static_cast<Number>(static_cast<Bits>(left) - right);
    case Operator::kMultiply:
      return static_cast<Number>(static_cast<Bits>(left) * right);
    case Operator::kShiftLeft:
      return static_cast<Number>(static_cast<Bits>(left) << std::min(right, kMostShift));
    case Operator::kShiftRight:
      return left >> std::min(right, kMostShift);
    case Operator::kAnd:
      return static_cast<Number>(static_cast<Bits>(left) & right);
    case Operator::kOr:
      return static_cast<Number>(static_cast<Bits>(left) | right);
  }
  return left;
}

inline int64_t NarrowValue(const Expression& expression, const Context& context, size_t table) {
  const Machine& machine = *context.machine;
  const auto value_of = [&](const Term& term) {
    if (term.load.kind != FieldLoad::Kind::kNone) [[likely]]
      return Load(term.load, context.bases);
    return RareOf(machine.operands[term.operand], context, table);
  };
  const Term* term = &machine.terms[expression.first];
  auto value = static_cast<int64_t>(value_of(*term));
  for (const Term* end = term + expression.terms; ++term != end;) {
    value = Apply(term->op, value, value_of(*term));
  }
  return value;
}

// Both are below 2^bits.
template <typename Bits>
Comparison ComparisonOf(Bits left, Bits right, Bits mask) {
  const bool before = ((left - right) & mask) > mask >> 1;  // at least half of 2^bits
  if (left == right) return kSame;
  return static_cast<Comparison>(kHigher + (left < right ? 2 : 0) + (before ? 1 : 0));
}

// The outcomes in which a relation holds, a bit for each.
constexpr uint32_t HoldsIn(Relation relation) {
  constexpr uint32_t kSameBit = 1U << kSame;
  constexpr uint32_t kLowerBits = 1U << kLower | 1U << kLowerBefore;
  constexpr uint32_t kBeforeBits = 1U << kHigherBefore | 1U << kLowerBefore;
  switch (relation) {
    case Relation::kIs:
      return kSameBit;
    case Relation::kNot:
      return kAllOutcomes & ~kSameBit;
    case Relation::kBelow:
      return kLowerBits;
    case Relation::kAtMost:
      return kLowerBits | kSameBit;
    case Relation::kAbove:
      return kAllOutcomes & ~kLowerBits & ~kSameBit;
    case Relation::kAtLeast:
      return kAllOutcomes & ~kLowerBits;
    case Relation::kBefore:
      return kBeforeBits;
    case Relation::kNotAfter:
      return kBeforeBits | kSameBit;
    case Relation::kAfter:
      return kAllOutcomes & ~kBeforeBits & ~kSameBit;
    case Relation::kNotBefore:
      return kAllOutcomes & ~kBeforeBits;
  }
  return 0;
}

template <typename Bits>
bool Is(Relation relation, Bits left, Bits right, Bits mask) {
  return (HoldsIn(relation) >> ComparisonOf(left, right, mask) & 1U) != 0;
}

// The row that an event leads to, or none.
inline uint32_t Decide(uint32_t next, const Context& context, size_t table) {
  const Machine& machine = *context.machine;
  while ((next & Decision::kRow) == 0) {
    const Decision& decision = machine.decisions[next];
    switch (decision.kind) {
      case Decision::Kind::kPair:
        next = decision.next[ComparisonOf(Load(decision.first, context.bases) & decision.mask,
                                          Load(decision.second, context.bases) & decision.mask,
                                          decision.mask)];
        break;
      case Decision::Kind::kValues: {
        const auto side = [&](uint16_t expression) {
          const Expression& value = machine.expressions[expression];
          return static_cast<uint64_t>(NarrowValue(value, context, table)) & decision.mask;
        };
        next =
            decision.next[ComparisonOf(side(decision.left), side(decision.right), decision.mask)];
        break;
      }
      case Decision::Kind::kMask:
        next =
            decision
                .next[(Load(decision.first, context.bases) & decision.mask) == decision.value ? 1
                                                                                              : 0];
        break;
      case Decision::Kind::kTest:
        next = decision.next[Holds(machine.tests[decision.left], context, table) ? 1 : 0];
        break;
      case Decision::Kind::kChoice:
        next = machine.choices[decision.left][Load(decision.first, context.bases)];
        break;
    }
  }
  return next;
}

}  // namespace tester::machine
