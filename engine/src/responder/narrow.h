// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// What every row of every packet asks: values of at most 64 bits, and tests. In a header, so that
// who runs rows has it without calls.
#pragma once

#include <algorithm>
#include <cstdint>

#include "responder/context.h"
#include "wire/bytes.h"

namespace tester::machine {

inline uint64_t FactOf(uint8_t fact, const Context& context, size_t table) {
  switch (static_cast<Fact>(fact)) {
    case Fact::kNow:
      return static_cast<uint32_t>(context.now_us);
    case Fact::kNowMs:
      return static_cast<uint32_t>(context.now_us / 1000);
    case Fact::kConsumed:
      return context.consumed;
    case Fact::kScanned:
      return context.scanned;
    case Fact::kMessageLength:
      return MessageBytes(context, table + 1);
    default:
      break;
  }
  if (context.packet == nullptr) return 0;
  const Packet& packet = *context.packet;
  switch (static_cast<Fact>(fact)) {
    case Fact::kPayloadLength:
      return packet.payload_bytes;
    case Fact::kPayloadLeft:
      return packet.left();
    case Fact::kFrameLength:
      return packet.frame_bytes;
    default:
      return packet.tcp[fact - static_cast<uint8_t>(Fact::kTcp)];
  }
}

inline uint64_t NarrowOf(const Operand& operand, const Context& context, size_t table) {
  using Kind = Operand::Kind;
  if (operand.kind == Kind::kRegister) return operand.reg.Get(context.state);
  if (operand.kind == Kind::kNumber) return static_cast<uint64_t>(operand.number);
  if (operand.kind == Kind::kFact) return FactOf(operand.fact, context, table);
  if (context.packet == nullptr) return 0;
  const Packet& packet = *context.packet;
  const uint8_t* at = packet.frame + packet.headers[operand.place.header] + operand.byte;
  switch (operand.kind) {
    case Kind::kByte:
      return uint64_t{*at} >> operand.shift & operand.mask;
    case Kind::kWord16:
      return uint64_t{wire::Load16(at)} >> operand.shift & operand.mask;
    case Kind::kWord32:
      return uint64_t{wire::Load<uint32_t>(at)} >> operand.shift & operand.mask;
    default:
      return static_cast<uint64_t>(ReadPlace(operand.place, at - operand.byte));
  }
}

// Two's complement, as far as the type goes: the bits of what is exact are right.
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
  const Term* term = &machine.terms[expression.first];
  auto value = static_cast<int64_t>(NarrowOf(machine.operands[term->operand], context, table));
  for (const Term* end = term + expression.terms; ++term != end;) {
    value = Apply(term->op, value, NarrowOf(machine.operands[term->operand], context, table));
  }
  return value;
}

// Both are below 2^bits.
template <typename Bits>
bool Is(Relation relation, Bits left, Bits right, Bits mask) {
  const Bits ahead = (left - right) & mask;
  const Bits half = (mask >> 1) + 1;
  switch (relation) {
    case Relation::kIs:
      return left == right;
    case Relation::kNot:
      return left != right;
    case Relation::kBelow:
      return left < right;
    case Relation::kAtMost:
      return left <= right;
    case Relation::kAbove:
      return left > right;
    case Relation::kAtLeast:
      return left >= right;
    case Relation::kBefore:
      return ahead >= half;
    case Relation::kNotAfter:
      return ahead == 0 || ahead >= half;
    case Relation::kAfter:
      return ahead != 0 && ahead < half;
    case Relation::kNotBefore:
      return ahead < half;
  }
  return false;
}

inline bool Holds(const Test& test, const Context& context, size_t table) {
  const Machine& machine = *context.machine;
  switch (test.kind) {
    case Test::Kind::kOperands:
      return Is(test.relation, NarrowOf(machine.operands[test.left], context, table) & test.mask,
                NarrowOf(machine.operands[test.right], context, table) & test.mask, test.mask);
    case Test::Kind::kMask:
      return (NarrowOf(machine.operands[test.left], context, table) & test.mask) == test.value;
    case Test::Kind::kNarrow: {
      const auto side = [&](uint16_t expression) {
        const Expression& own = machine.expressions[expression];
        return static_cast<uint64_t>(NarrowValue(own, context, table)) & test.mask;
      };
      return Is(test.relation, side(test.left), side(test.right), test.mask);
    }
    default:
      return HoldsRarely(test, context, table);
  }
}

}  // namespace tester::machine
