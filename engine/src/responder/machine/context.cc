// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/machine/context.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "responder/machine/narrow.h"
#include "wire/checksum.h"

namespace tester::machine {
namespace {

// Zeros that are read in place of a packet, and before and behind it.
constexpr std::array<uint8_t, 512> kNothing{};
constexpr size_t kBeforeNothing = 128;

const uint8_t* AsBytes(const uint64_t* words) { return reinterpret_cast<const uint8_t*>(words); }

Uint128 WideOf(const Operand& operand, const Context& context, size_t table) {
  if (operand.bits <= 64) return NarrowOf(operand, context, table);
  if (operand.kind == Operand::Kind::kNumber) return operand.number;
  if (operand.kind == Operand::Kind::kRegister) return operand.reg.GetWide(context.state);
  return ReadField(operand.place, context.bases[kFirstHeader + operand.place.header]);
}

bool IsWide(const Test& test, const Context& context, size_t table) {
  const auto& expressions = context.machine->expressions;
  const Uint128 mask = MaskOf(test.bits);
  const auto side = [&](uint16_t expression) {
    return static_cast<Uint128>(Value(expressions[expression], context, table)) & mask;
  };
  return Is(test.relation, side(test.left), side(test.right), mask);
}

void WriteDigits(const MessagePart& part, const Context& context, char* to) {
  Uint128 value = WideOf(context.machine->operands[part.operand], context, 0);
  size_t at = part.digits;
  for (; value > UINT64_MAX && at > 0; value /= 10) {
    to[--at] = static_cast<char>('0' + static_cast<int>(value % 10));
  }
  auto low = static_cast<uint64_t>(value);
  for (bool more = at > 0; more; more = low != 0 && at > 0) {
    to[--at] = static_cast<char>('0' + low % 10);
    low /= 10;
  }
  std::fill(to, to + at, static_cast<char>(part.fill));
}

}  // namespace

void Context::SetBases() {
  bases[kNumbers] = AsBytes(machine->numbers.data());
  bases[kLine] = AsBytes(state.line);
  bases[kColdWords] = AsBytes(state.cold_words);
  bases[kFacts] = AsBytes(facts.data());
  bases[kPacketFacts] = packet != nullptr ? AsBytes(packet->facts.data()) : kNothing.data();
  for (size_t i = 0; i < machine->headers.size(); ++i) {
    bases[kFirstHeader + i] =
        packet != nullptr ? packet->frame + packet->headers[i] : kNothing.data() + kBeforeNothing;
  }
}

Int128 Value(const Expression& expression, const Context& context, size_t table) {
  if (!expression.wide) return NarrowValue(expression, context, table);
  const Machine& machine = *context.machine;
  const Term* term = &machine.terms[expression.first];
  auto value = static_cast<Int128>(WideOf(machine.operands[term->operand], context, table));
  for (const Term* end = term + expression.terms; ++term != end;) {
    value = Apply(term->op, value, WideOf(machine.operands[term->operand], context, table));
  }
  return value;
}

int64_t Clamped(const Expression& expression, const Context& context, size_t table) {
  if (!expression.wide) return NarrowValue(expression, context, table);
  constexpr Int128 kLeast = std::numeric_limits<int64_t>::min();
  constexpr Int128 kMost = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::clamp(Value(expression, context, table), kLeast, kMost));
}

uint64_t RareOf(const Operand& operand, const Context& context, size_t table) {
  if (operand.kind == Operand::Kind::kFact) return MessageBytes(context, table + 1);
  return static_cast<uint64_t>(
      ReadField(operand.place, context.bases[kFirstHeader + operand.place.header]));
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
        const Expression& definition = machine.expressions[expression];
        return static_cast<uint64_t>(NarrowValue(definition, context, table)) & test.mask;
      };
      return Is(test.relation, side(test.left), side(test.right), test.mask);
    }
    case Test::Kind::kWide:
      return IsWide(test, context, table);
    case Test::Kind::kBegins:
      break;
  }
  if (context.packet == nullptr || context.packet->payload_bytes < test.left) return false;
  const uint8_t* payload = context.packet->frame + context.packet->payload;
  return std::memcmp(payload, test.octets.data(), test.left) == 0;
}

const TableMessage* MessageOf(const Context& context, size_t table) {
  const Machine& machine = *context.machine;
  if (table >= machine.tables.size() || machine.tables[table].message == kNone) return nullptr;
  const Table& definition = machine.tables[table];
  const uint64_t said = machine.registers[definition.message].Get(context.state);
  return said == 0 ? nullptr : &machine.messages[definition.first_message + said - 1];
}

uint64_t BytesOf(const TableMessage& message, const Context& context, size_t table) {
  const Expression& body = context.machine->expressions[message.body];
  const int64_t bytes = std::max<int64_t>(0, NarrowValue(body, context, table));
  return message.text_bytes + static_cast<uint64_t>(bytes);
}

uint64_t MessageBytes(const Context& context, size_t table) {
  const TableMessage* message = MessageOf(context, table);
  return message == nullptr ? 0 : BytesOf(*message, context, table);
}

uint64_t WriteMessage(const TableMessage& message, const Context& context, uint64_t offset,
                      uint32_t bytes, uint8_t* to) {
  uint8_t* const first = to;
  uint64_t begin = 0;  // of the part
  for (const MessagePart& part : message.parts) {
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
  const auto text_bytes = static_cast<size_t>(to - first);
  const uint64_t text_sum = wire::Sum({first, text_bytes});
  if (bytes == 0) return text_sum;
  const uint64_t from = (offset - begin) % message.fill_bytes;
  std::memcpy(to, message.fill.data() + from, bytes);
  // The sum of the bytes in front is subtracted; the bytes of a word change places where it begins
  // at an odd offset here and at an even one there, or the other way round (RFC 1071 2 (B)).
  const uint16_t fill_sum = wire::Fold(uint64_t{message.fill_sums[from + bytes]} +
                                       wire::Negative(message.fill_sums[from]));
  return text_sum + ((from + text_bytes) % 2 == 0 ? fill_sum : __builtin_bswap16(fill_sum));
}

}  // namespace tester::machine
