// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bit>
#include <optional>

#include "plan/protocol/protocol_compiler.h"

namespace tester {
namespace {

using machine::FieldLoad;
using machine::Operand;

constexpr size_t kMaxOperands = 4096;
constexpr size_t kMaxExpressions = 4096;
constexpr size_t kMaxTerms = 16;
constexpr uint32_t kMostShift = 63;
constexpr uint32_t kExactBits = 127;

uint8_t BitsOf(Uint128 number) {
  const auto high = static_cast<uint64_t>(number >> 64);
  const auto low = static_cast<uint64_t>(number);
  return static_cast<uint8_t>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(low));
}

FieldLoad FieldLoadOf(const machine::Register& reg) {
  const bool is_cold = reg.word >= machine::kLineWords;
  const size_t word = is_cold ? reg.word - machine::kLineWords : reg.word;
  return {.kind = FieldLoad::Kind::kNative,
          .base = is_cold ? machine::kColdWords : machine::kLine,
          .shift = reg.shift,
          .byte = static_cast<int32_t>(word * machine::kLoadBytes),
          .mask = machine::NarrowMask(reg.bits)};
}

FieldLoad FieldLoadOf(machine::Base base, size_t fact) {
  return {.kind = FieldLoad::Kind::kNative,
          .base = base,
          .shift = 0,
          .byte = static_cast<int32_t>(fact * machine::kLoadBytes),
          .mask = UINT32_MAX};
}

Operand CompileFact(v1::Fact fact, std::string_view thing, const ProtocolCompiler& compiler) {
  if (fact <= v1::FACT_UNSPECIFIED || fact > v1::FACT_PAYLOAD_AHEAD) {
    Refuse(Cat(compiler.where, ", ", thing), "fact ", int{fact}, "; they are those of Fact");
  }
  if (fact >= v1::FACT_TCP_FIN && fact <= v1::FACT_TCP_TS_ECR &&
      compiler.out.tcp == machine::kNone) {
    Refuse(Cat(compiler.where, ", ", thing), "a fact of TCP, and there is no header of TCP");
  }
  Operand operand{.kind = Operand::Kind::kFact, .bits = 32};
  switch (fact) {
    case v1::FACT_MESSAGE_LENGTH:
      operand.bits = 33;  // it may be longer than the 32 bits that its body has
      return operand;
    case v1::FACT_NOW:
      operand.load = FieldLoadOf(machine::kFacts, machine::kNow);
      return operand;
    case v1::FACT_NOW_MS:
      operand.load = FieldLoadOf(machine::kFacts, machine::kNowMs);
      return operand;
    case v1::FACT_CONSUMED:
      operand.load = FieldLoadOf(machine::kFacts, machine::kConsumed);
      return operand;
    case v1::FACT_SCANNED:
      operand.load = FieldLoadOf(machine::kFacts, machine::kScanned);
      return operand;
    case v1::FACT_PAYLOAD_LENGTH:
    case v1::FACT_PAYLOAD_LEFT:
    case v1::FACT_FRAME_LENGTH:
      operand.load = FieldLoadOf(
          machine::kPacketFacts,
          machine::kPayloadLength + static_cast<size_t>(fact - v1::FACT_PAYLOAD_LENGTH));
      return operand;
    case v1::FACT_PAYLOAD_AHEAD:
      operand.load = FieldLoadOf(machine::kPacketFacts, machine::kPayloadAhead);
      return operand;
    default:
      operand.load = FieldLoadOf(machine::kPacketFacts,
                                 machine::kFin + static_cast<size_t>(fact - v1::FACT_TCP_FIN));
      return operand;
  }
}

Operand CompileOperand(const v1::Operand& operand, std::string_view thing,
                       ProtocolCompiler& compiler) {
  Operand compiled;
  switch (operand.operand_case()) {
    case v1::Operand::kNumber:
      compiled.number = compiler.Number(thing, operand.number(), 128);
      compiled.bits = BitsOf(compiled.number);
      compiled.load = {
          .kind = FieldLoad::Kind::kNative,
          .base = machine::kNumbers,
          .shift = 0,
          .byte = static_cast<int32_t>(compiler.out.numbers.size() * machine::kLoadBytes),
          .mask = UINT64_MAX};
      compiler.out.numbers.push_back(static_cast<uint64_t>(compiled.number));
      return compiled;
    case v1::Operand::kRegister: {
      const uint16_t index =
          compiler.Index(thing, "register", operand.register_(), compiler.out.registers.size());
      compiled.kind = Operand::Kind::kRegister;
      compiled.reg = compiler.out.registers[index];
      compiled.bits = compiled.reg.bits;
      compiled.load = FieldLoadOf(compiled.reg);
      return compiled;
    }
    case v1::Operand::kField:
      compiled.kind = Operand::Kind::kField;
      compiled.place = compiler.FieldPlaceOf(thing, operand.field(), compiler.HeaderSizes());
      compiled.bits = compiled.place.bits;
      compiled.load = machine::FieldLoadOf(compiled.place);
      return compiled;
    case v1::Operand::kFact:
      return CompileFact(operand.fact(), thing, compiler);
    case v1::Operand::OPERAND_NOT_SET:
      break;
  }
  Refuse(Cat(compiler.where, ", ", thing), "it is a number, a register, a field or a fact");
}

// The size of a number: its distance from 0 is less than 2^bits.
struct Magnitude {
  uint32_t bits = 0;
  bool may_be_negative = false;
};

void Apply(machine::Operator op, const Operand& right, Magnitude& value) {
  switch (op) {
    case machine::Operator::kSubtract:
      value.may_be_negative = true;
      [[fallthrough]];
    case machine::Operator::kAdd:
      value.bits = std::max<uint32_t>(value.bits, right.bits) + 1;
      return;
    case machine::Operator::kMultiply:
      value.bits += right.bits;
      return;
    case machine::Operator::kShiftLeft: {
      const bool known = right.kind == Operand::Kind::kNumber && right.number < kMostShift;
      const uint32_t widest = right.bits >= 6 ? kMostShift : (1U << right.bits) - 1;
      value.bits += known ? static_cast<uint32_t>(right.number) : widest;
      return;
    }
    case machine::Operator::kShiftRight:
      return;
    case machine::Operator::kAnd:
      value.bits = value.may_be_negative ? right.bits : std::min<uint32_t>(value.bits, right.bits);
      value.may_be_negative = false;
      return;
    case machine::Operator::kOr:
      value.bits = std::max<uint32_t>(value.bits, right.bits);
      return;
  }
}

machine::Expression CompileExpression(const v1::Expression& expression, std::string_view thing,
                                      ProtocolCompiler& compiler) {
  auto& out = compiler.out;
  const auto count = static_cast<size_t>(expression.terms_size());
  compiler.Between("terms of an expression:", count, 1, kMaxTerms);
  machine::Expression compiled{.first = static_cast<uint32_t>(out.terms.size()),
                               .terms = static_cast<uint8_t>(count),
                               .wide = false,
                               .bits = 0};
  Magnitude value;
  for (const auto& term : expression.terms()) {
    if (term.operator_() < 0 || term.operator_() > v1::Term::OPERATOR_OR ||
        (out.terms.size() == compiled.first && term.operator_() != v1::Term::OPERATOR_ADD)) {
      Refuse(Cat(compiler.where, ", ", thing), "operator ", int{term.operator_()},
             "; the first one is ADD, the others are those of Term.Operator");
    }
    const uint16_t index = compiler.Index(thing, "operand", term.operand(), out.operands.size());
    const auto op = static_cast<machine::Operator>(term.operator_());
    const Operand& operand = out.operands[index];
    if (op == machine::Operator::kShiftRight && value.bits > kExactBits) {
      Refuse(Cat(compiler.where, ", ", thing), "it may need ", value.bits,
             " bits before >>; 127 are allowed there");
    }
    if (out.terms.size() == compiled.first) {
      value.bits = operand.bits;
    } else {
      Apply(op, operand, value);
    }
    value.bits = std::min<uint32_t>(value.bits, 1000);
    compiled.wide |= value.bits > machine::kNarrowBits || operand.bits > machine::kNarrowBits;
    out.terms.push_back({.op = op, .operand = index, .load = operand.load});
  }
  compiled.bits = static_cast<uint8_t>(std::min(value.bits, kExactBits + 1));
  return compiled;
}

}  // namespace

void CompileExpressions(ProtocolCompiler& compiler) {
  auto& out = compiler.out;
  compiler.AtMost("operands", static_cast<uint64_t>(compiler.in.operands_size()), kMaxOperands);
  for (const auto& operand : compiler.in.operands()) {
    out.operands.push_back(CompileOperand(operand, Cat("operand ", out.operands.size()), compiler));
  }
  compiler.AtMost("expressions", static_cast<uint64_t>(compiler.in.expressions_size()),
                  kMaxExpressions);
  for (const auto& expression : compiler.in.expressions()) {
    out.expressions.push_back(
        CompileExpression(expression, Cat("expression ", out.expressions.size()), compiler));
  }
}

}  // namespace tester
