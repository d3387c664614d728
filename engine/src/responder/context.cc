// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/context.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace tester::machine {
namespace {

uint64_t FactOf(uint8_t fact, const Context& context, size_t table) {
  switch (static_cast<Fact>(fact)) {
    case Fact::kNow:
      return context.now_us;
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

UnsignedWide WideOf(const Operand& operand, const Context& context, size_t table) {
  if (operand.bits <= 64) return NarrowOf(operand, context, table);
  if (operand.kind == Operand::Kind::kNumber) return operand.number;
  if (operand.kind == Operand::Kind::kRegister) return operand.reg.GetWide(context.flow->words);
  if (context.packet == nullptr) return 0;
  const Packet& packet = *context.packet;
  return ReadPlace(operand.place, packet.frame + packet.headers[operand.place.header]);
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

bool IsWide(const Test& test, const Context& context, size_t table) {
  const auto& expressions = context.machine->expressions;
  const UnsignedWide mask = MaskOf(test.bits);
  const auto side = [&](uint16_t expression) {
    return static_cast<UnsignedWide>(Value(expressions[expression], context, table)) & mask;
  };
  return Is(test.relation, side(test.left), side(test.right), mask);
}

void WriteDigits(const Part& part, const Context& context, char* to) {
  uint64_t low = 0;
  UnsignedWide value = WideOf(context.machine->operands[part.operand], context, 0);
  size_t at = part.digits;
  do {
    low = static_cast<uint64_t>(value % 10);
    value /= 10;
    to[--at] = static_cast<char>('0' + low);
  } while (value != 0 && at > 0);
  std::fill(to, to + at, static_cast<char>(part.fill));
}

}  // namespace

uint64_t NarrowOf(const Operand& operand, const Context& context, size_t table) {
  using Kind = Operand::Kind;
  if (operand.kind == Kind::kRegister) return operand.reg.Get(context.flow->words);
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

int64_t NarrowValue(const Expression& expression, const Context& context, size_t table) {
  const Machine& machine = *context.machine;
  const Term* term = &machine.terms[expression.first];
  auto value = static_cast<int64_t>(NarrowOf(machine.operands[term->operand], context, table));
  for (const Term* end = term + expression.terms; ++term != end;) {
    value = Apply(term->op, value, NarrowOf(machine.operands[term->operand], context, table));
  }
  return value;
}

Wide Value(const Expression& expression, const Context& context, size_t table) {
  if (!expression.wide) return NarrowValue(expression, context, table);
  const Machine& machine = *context.machine;
  const Term* term = &machine.terms[expression.first];
  auto value = static_cast<Wide>(WideOf(machine.operands[term->operand], context, table));
  for (const Term* end = term + expression.terms; ++term != end;) {
    value = Apply(term->op, value, WideOf(machine.operands[term->operand], context, table));
  }
  return value;
}

int64_t Clamped(const Expression& expression, const Context& context, size_t table) {
  if (!expression.wide) return NarrowValue(expression, context, table);
  constexpr Wide kLeast = std::numeric_limits<int64_t>::min();
  constexpr Wide kMost = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::clamp(Value(expression, context, table), kLeast, kMost));
}

bool Holds(const Test& test, const Context& context, size_t table) {
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
    case Test::Kind::kWide:
      return IsWide(test, context, table);
    case Test::Kind::kBegins: {
      if (context.packet == nullptr || context.packet->payload_bytes < test.left) return false;
      const uint8_t* payload = context.packet->frame + context.packet->payload;
      return std::memcmp(payload, test.octets.data(), test.left) == 0;
    }
  }
  return false;
}

const TableMessage* MessageOf(const Context& context, size_t table) {
  const Machine& machine = *context.machine;
  if (table >= machine.tables.size() || machine.tables[table].message == kNone) return nullptr;
  const Table& own = machine.tables[table];
  const uint64_t said = machine.registers[own.message].Get(context.flow->words);
  return said == 0 ? nullptr : &machine.messages[own.first_message + said - 1];
}

uint64_t MessageBytes(const Context& context, size_t table) {
  const TableMessage* message = MessageOf(context, table);
  if (message == nullptr) return 0;
  const Expression& body = context.machine->expressions[message->body];
  const int64_t bytes = std::max<int64_t>(0, NarrowValue(body, context, table));
  return message->text_bytes + static_cast<uint64_t>(bytes);
}

void WriteMessage(const TableMessage& message, const Context& context, uint64_t offset,
                  uint32_t bytes, uint8_t* to) {
  uint64_t begin = 0;  // of the part
  for (const Part& part : message.parts) {
    const uint64_t end = begin + part.bytes();
    if (offset < end && bytes > 0) {
      const auto count = static_cast<uint32_t>(std::min<uint64_t>(end - offset, bytes));
      std::array<char, 40> digits;
      const void* from = part.text.data();
      if (part.operand != kNone) {
        WriteDigits(part, context, digits.data());
        from = digits.data();
      }
      std::memcpy(to, static_cast<const char*>(from) + (offset - begin), count);
      to += count;
      offset += count;
      bytes -= count;
    }
    begin = end;
  }
  if (bytes == 0) return;
  std::memcpy(to, message.fill.data() + (offset - begin) % message.fill_bytes, bytes);
}

}  // namespace tester::machine
