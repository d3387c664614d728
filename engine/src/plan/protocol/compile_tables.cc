// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Tables, their variables and their rows with tests; compile_actions.cc has the actions.
#include <algorithm>

#include "plan/protocol/protocol_compiler.h"
#include "responder/machine/action_list.h"

namespace tester {
namespace {

using Role = RegisterUse::Role;

constexpr size_t kMaxStates = 64;
constexpr size_t kMaxEvents = 256;
constexpr size_t kMaxNamed = 64;  // counters, histograms
constexpr size_t kMaxRows = 4096;
constexpr size_t kMaxInRow = 64;  // tests, actions
constexpr size_t kMaxBegins = 64;
constexpr size_t kMaxLookups = 65'536;

void Keep(const machine::Register& reg, Uint128 initial, machine::Table& table) {
  reg.SetWide(table.kept, ~Uint128{0});
  reg.SetWide(table.initial, initial);
}

void CompileKept(const v1::Table& table, size_t index, std::string_view thing,
                 ProtocolCompiler& compiler, machine::Table& compiled) {
  auto& out = compiler.out;
  if (table.has_state()) {
    compiled.state = compiler.Use(Cat(thing, ", state"), table.state(), {Role::kState, index}, 8);
    Keep(out.registers[compiled.state], 0, compiled);
  }
  if (table.has_message()) {
    compiled.message =
        compiler.Use(Cat(thing, ", message"), table.message(), {Role::kMessage, index}, 8);
  }
  for (const auto& variable : table.variables()) {
    const uint16_t reg =
        compiler.Use(Cat(thing, ", variable"), variable.register_(), {Role::kVariable, index}, 0);
    Keep(out.registers[reg],
         compiler.Number(Cat(thing, ", variable"), variable.initial(), out.registers[reg].bits),
         compiled);
  }
  for (const auto& timer : table.timers()) {
    const uint16_t reg =
        compiler.Use(Cat(thing, ", timer"), timer.register_(), {Role::kTimer, index}, 32);
    compiler.AtMost("timers", out.timers.size() + 1, machine::kMaxTimers);
    compiled.timers = static_cast<uint16_t>(compiled.timers | 1U << out.timers.size());
    Keep(out.registers[reg], 0, compiled);
    out.timers.push_back(
        {.reg = reg,
         .event = compiler.Index(Cat(thing, ", timer"), "event", timer.event(), compiled.events),
         .table = static_cast<uint8_t>(index)});
  }
}

void CompileLookup(const v1::Table& table, std::string_view thing, const ProtocolCompiler& compiler,
                   machine::Table& compiled) {
  const size_t cells = size_t{compiled.states} * compiled.events;
  const auto order = static_cast<size_t>(table.order_size());
  if (static_cast<size_t>(table.first_size()) != cells ||
      static_cast<size_t>(table.count_size()) != cells) {
    Refuse(Cat(compiler.where, ", ", thing), table.first_size(), " of first and ",
           table.count_size(), " of count; states times events are ", cells);
  }
  compiler.AtMost("rows to look up", order, kMaxLookups);
  for (const uint32_t row : table.order()) {
    compiled.order.push_back(
        compiler.Index(thing, "row", row, static_cast<size_t>(compiler.in.rows_size())));
  }
  for (int i = 0; i < table.first_size(); ++i) {
    const uint32_t first = table.first(i);
    const uint32_t count = table.count(i);
    if (first > order || count > order - first) {
      Refuse(Cat(compiler.where, ", ", thing), count, " rows from ", first, " on of ", order);
    }
    compiled.cells.push_back({.first = first, .rows = static_cast<uint16_t>(count)});
  }
}

void Append(const google::protobuf::RepeatedPtrField<std::string>& names, std::string_view what,
            const std::string& table, const ProtocolCompiler& compiler,
            std::vector<std::string>& out) {
  compiler.AtMost(what, static_cast<uint64_t>(names.size()), kMaxNamed);
  for (const auto& name : names) {
    compiler.Between(Cat("bytes of a name of ", what), name.size(), 1, 128);
    out.push_back(Cat(table, ".", name));
  }
}

machine::Table CompileTable(const v1::Table& table, size_t index, ProtocolCompiler& compiler) {
  auto& out = compiler.out;
  const std::string thing = Cat("table ", index);
  compiler.Between("bytes of the name of a table", table.name().size(), 1, 128);
  compiler.Between(Cat(thing, ": states"), table.states(), 1, kMaxStates);
  compiler.Between(Cat(thing, ": events"), table.events(), 1, kMaxEvents);
  machine::Table compiled{.name = table.name(),
                          .states = static_cast<uint16_t>(table.states()),
                          .events = static_cast<uint16_t>(table.events()),
                          .cells = {},
                          .order = {}};
  if (index == 0 && compiled.events <= machine::kStopEvent) {
    Refuse(Cat(compiler.where, ", ", thing), compiled.events,
           compiled.events == 1 ? " event" : " events", "; the lowest has packet, start and stop");
  }
  if ((compiled.states > 1) != table.has_state()) {
    Refuse(Cat(compiler.where, ", ", thing), compiled.states, " states and ",
           table.has_state() ? "a" : "no", " register for them; there is one for two and more");
  }
  compiler.begins.push_back({.timers = static_cast<uint16_t>(out.timers.size()),
                             .counters = static_cast<uint16_t>(out.counters.size()),
                             .histograms = static_cast<uint16_t>(out.histograms.size())});
  CompileKept(table, index, thing, compiler, compiled);
  CompileLookup(table, thing, compiler, compiled);
  Append(table.counters(), "counters", table.name(), compiler, out.counters);
  Append(table.histograms(), "histograms", table.name(), compiler, out.histograms);
  return compiled;
}

machine::Test CompileCompare(const v1::Compare& compare, std::string_view thing,
                             const ProtocolCompiler& compiler) {
  const auto& out = compiler.out;
  compiler.Between("bits of a comparison:", compare.bits(), 1, 128);
  compiler.Between("relation", static_cast<uint64_t>(compare.relation()), 0,
                   v1::Compare::RELATION_NOT_BEFORE);
  machine::Test compiled{.kind = machine::Test::Kind::kWide,
                         .relation = static_cast<machine::Relation>(compare.relation()),
                         .bits = static_cast<uint8_t>(compare.bits()),
                         .left = compiler.Expression(thing, compare.left()),
                         .right = compiler.Expression(thing, compare.right()),
                         .mask = machine::NarrowMask(compare.bits())};
  if (compiled.bits > 64) return compiled;
  const auto& left = out.expressions[compiled.left];
  const auto& right = out.expressions[compiled.right];
  if (left.terms == 1 && right.terms == 1) {
    compiled.kind = machine::Test::Kind::kOperands;
    compiled.left = out.terms[left.first].operand;
    compiled.right = out.terms[right.first].operand;
  } else if (!left.wide && !right.wide) {
    compiled.kind = machine::Test::Kind::kNarrow;
  }
  return compiled;
}

machine::Test CompileTest(const v1::Test& test, std::string_view thing,
                          const ProtocolCompiler& compiler) {
  machine::Test compiled{.kind = machine::Test::Kind::kMask};
  switch (test.test_case()) {
    case v1::Test::kCompare:
      return CompileCompare(test.compare(), thing, compiler);
    case v1::Test::kMask:
      compiled.left =
          compiler.Index(thing, "operand", test.mask().operand(), compiler.out.operands.size());
      compiled.mask = test.mask().mask();
      compiled.value = test.mask().value();
      return compiled;
    case v1::Test::kBegins:
      compiler.Between("bytes that a payload begins with:", test.begins().size(), 1, kMaxBegins);
      compiled.kind = machine::Test::Kind::kBegins;
      compiled.left = static_cast<uint16_t>(test.begins().size());
      std::copy(test.begins().begin(), test.begins().end(), compiled.octets.begin());
      return compiled;
    case v1::Test::TEST_NOT_SET:
      break;
  }
  Refuse(Cat(compiler.where, ", ", thing), "it is a comparison, a mask or the begin of a payload");
}

void CheckSlice(std::string_view thing, std::string_view of, uint32_t first, uint32_t count,
                int size, const ProtocolCompiler& compiler) {
  compiler.AtMost(Cat(of, " of a row"), count, kMaxInRow);
  if (first <= static_cast<uint32_t>(size) && count <= static_cast<uint32_t>(size) - first) return;
  Refuse(Cat(compiler.where, ", ", thing), count, " ", of, " from ", first, " on of ", size);
}

machine::Row CompileRow(const v1::Row& row, size_t index, size_t table,
                        ProtocolCompiler& compiler) {
  auto& out = compiler.out;
  const std::string thing = Cat("row ", index);
  CheckSlice(thing, "tests", row.first_test(), row.tests(), compiler.in.tests_size(), compiler);
  CheckSlice(thing, "actions", row.first_action(), row.actions(), compiler.in.actions_size(),
             compiler);
  machine::Row compiled{.first_test = static_cast<uint32_t>(out.tests.size()),
                        .first_action = static_cast<uint32_t>(out.actions.size()),
                        .tests = static_cast<uint16_t>(row.tests()),
                        .actions = static_cast<uint16_t>(row.actions()),
                        .to = machine::kNone};
  for (uint32_t i = 0; i < row.tests(); ++i) {
    const auto number = static_cast<int>(row.first_test() + i);
    out.tests.push_back(CompileTest(compiler.in.tests(number), Cat("test ", number), compiler));
  }
  uint32_t following = 0;
  for (uint32_t i = 0; i < row.actions(); ++i) {
    const auto number = static_cast<int>(row.first_action() + i);
    out.actions.push_back(
        CompileAction(compiler.in.actions(number), table, Cat("action ", number), compiler));
    following += machine::FollowingOf(out.actions.back().kind);
  }
  compiler.AtMost("steps and scans of a row", following, machine::kMaxFollowing);
  if (row.has_to())
    compiled.to = compiler.Index(thing, "state", row.to(), out.tables[table].states);
  return compiled;
}

// The table that looks up each row; a row without one belongs to the lowest table.
std::vector<size_t> TablesOfRows(const ProtocolCompiler& compiler) {
  constexpr size_t kNobody = SIZE_MAX;
  std::vector<size_t> tables(static_cast<size_t>(compiler.in.rows_size()), kNobody);
  for (size_t table = 0; table < compiler.out.tables.size(); ++table) {
    for (const uint16_t row : compiler.out.tables[table].order) {
      if (tables[row] != kNobody && tables[row] != table) {
        Refuse(compiler.where, "row ", row, " is of table ", tables[row], " and of table ", table,
               "; it can be of one");
      }
      tables[row] = table;
    }
  }
  std::replace(tables.begin(), tables.end(), kNobody, size_t{0});
  return tables;
}

}  // namespace

void CompileTables(ProtocolCompiler& compiler) {
  auto& out = compiler.out;
  compiler.Between("number of tables", static_cast<uint64_t>(compiler.in.tables_size()), 1,
                   machine::kMaxTables);
  for (const auto& table : compiler.in.tables()) {
    const size_t index = out.tables.size();
    out.tables.push_back(CompileTable(table, index, compiler));
  }
  out.keeps_flows = out.tables[0].states > 1;
  if (out.keeps_flows && out.flow.empty()) {
    Refuse(compiler.where, out.tables[0].states,
           " states, and no field by which a flow is known; there is at least one");
  }
}

void CompileRows(ProtocolCompiler& compiler) {
  auto& out = compiler.out;
  compiler.AtMost("rows", static_cast<uint64_t>(compiler.in.rows_size()), kMaxRows);
  const std::vector<size_t> tables = TablesOfRows(compiler);
  for (const auto& row : compiler.in.rows()) {
    const size_t index = out.rows.size();
    out.rows.push_back(CompileRow(row, index, tables[index], compiler));
  }
  for (const auto& table : out.tables) {
    for (size_t i = 0; i < out.initial.size(); ++i) out.initial[i] |= table.initial[i];
  }
}

}  // namespace tester
