// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// State and checks that the parts of the protocol compiler share.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/refuse.h"
#include "responder/machine/machine.h"
#include "tester/v1/protocol.pb.h"

namespace tester {

// The writer of a register: a table writes its variables, the machine all others.
struct RegisterUse {
  enum class Role : uint8_t { kNone, kVariable, kState, kMessage, kTimer, kScanner };
  Role role = Role::kNone;
  size_t table = 0;
};

struct ProtocolCompiler {
  const v1::Protocol& in;
  std::string where;
  machine::Machine out{};
  std::vector<RegisterUse> uses{};
  // By table: where its things begin in the machine's arrays.
  struct Begins {
    uint16_t timers = 0;
    uint16_t counters = 0;
    uint16_t histograms = 0;
    uint16_t templates = 0;
    uint16_t messages = 0;
    uint16_t scanners = 0;
  };
  std::vector<Begins> begins{};

  // `thing` is "action 7"; it says where the index is. Returns it.
  uint16_t Index(std::string_view thing, std::string_view of, uint32_t index, size_t count) const {
    if (index >= count) {
      Refuse(Cat(where, ", ", thing), of, " ", index, " of ", count, "; they are numbered from 0");
    }
    return static_cast<uint16_t>(index);
  }
  void AtMost(std::string_view what, uint64_t given, uint64_t allowed) const {
    if (given > allowed) Refuse(where, given, " ", what, "; at most ", allowed, " are allowed");
  }
  void Between(std::string_view what, uint64_t given, uint64_t least, uint64_t most) const {
    if (given >= least && given <= most) return;
    Refuse(where, what, " ", given, "; allowed are ", least, " to ", most);
  }

  // Big endian, of at most `bits`.
  Uint128 Number(std::string_view thing, const std::string& bytes, uint32_t bits) const;
  // A field of one of the headers; `sizes`: their bytes.
  machine::FieldPlace FieldPlaceOf(std::string_view thing, const v1::Field& field,
                                   const std::vector<uint16_t>& sizes) const;
  // Takes a register for a table.
  uint16_t Use(std::string_view thing, uint32_t index, RegisterUse use, uint32_t bits);
  // The register of a variable of the table.
  uint16_t Variable(std::string_view thing, uint32_t index, size_t table) const;
  uint16_t Expression(std::string_view thing, uint32_t index) const {
    return Index(thing, "expression", index, out.expressions.size());
  }
  // The load of an expression that is one operand; none for others.
  machine::FieldLoad FieldLoadOf(uint16_t expression) const {
    const machine::Expression& definition = out.expressions[expression];
    return definition.terms == 1 && !definition.wide ? out.terms[definition.first].load
                                                     : machine::FieldLoad{};
  }
  machine::Edit EditOf(const machine::FieldPlace& place, uint16_t expression) const {
    return {.place = place, .expression = expression, .load = FieldLoadOf(expression)};
  }
  // An expression with an exact value.
  uint16_t ExactExpression(std::string_view thing, uint32_t index) const;
  std::vector<uint16_t> HeaderSizes() const;
};

// A header of IPv4 in a template may have options.
machine::HeaderKind KindOf(const v1::Header& header, size_t index, bool of_template,
                           const ProtocolCompiler& compiler);

// A check behind the payload covers the headers of IP and UDP before the header of this kind.
void CheckTrailer(machine::HeaderKind kind, std::span<const machine::HeaderKind> before,
                  const ProtocolCompiler& compiler);

// The parts, in this order.
void CompileHeaders(ProtocolCompiler& compiler);
void CompileRegisters(ProtocolCompiler& compiler);
void CompileExpressions(ProtocolCompiler& compiler);
void CompileTables(ProtocolCompiler& compiler);
void CompileSending(ProtocolCompiler& compiler);  // templates, messages, scanners
void CompileRows(ProtocolCompiler& compiler);

// Adds up the parts of checksums that are known before a frame is sent.
void SumTemplate(machine::FrameTemplate& frame);
void SumFill(machine::TableMessage& message);

// How rows are found, once all are there.
void DecideRows(machine::Machine& machine);

// One action of a row of a table.
machine::Action CompileAction(const v1::Action& action, size_t table, std::string_view thing,
                              ProtocolCompiler& compiler);

}  // namespace tester
