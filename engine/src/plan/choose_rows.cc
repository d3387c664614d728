// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Most rows about a packet begin with its flags, and a packet's flags leave few of them: which
// ones, is looked up.
#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "plan/protocol_compiler.h"

namespace tester {
namespace {

constexpr uint8_t kMostBits = 8;
constexpr size_t kLeastRows = 3;  // of a cell that are worth it
constexpr size_t kMostRows = 64;  // a plan of a stranger may have any number

using Rows = std::vector<uint16_t>;

// Of the operands that masks of these rows are about, the one that most are about.
uint16_t OperandOf(const machine::Machine& machine, const Rows& rows) {
  std::map<uint16_t, size_t> counts;
  for (const uint16_t index : rows) {
    const machine::Row& row = machine.rows[index];
    for (size_t i = 0; i < row.tests; ++i) {
      const machine::Test& test = machine.tests[row.first_test + i];
      if (test.kind != machine::Test::Kind::kMask) continue;
      if (machine.operands[test.left].bits <= kMostBits) ++counts[test.left];
    }
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() || most->second < kLeastRows ? machine::kNone : most->first;
}

bool CanHold(const machine::Machine& machine, const machine::Row& row, uint16_t operand,
             uint64_t value) {
  for (size_t i = 0; i < row.tests; ++i) {
    const machine::Test& test = machine.tests[row.first_test + i];
    if (test.kind != machine::Test::Kind::kMask || test.left != operand) continue;
    if ((value & test.mask) != test.value) return false;
  }
  return true;
}

machine::Choice MakeChoice(const machine::Machine& machine, const Rows& rows, uint16_t operand,
                           Rows& order) {
  machine::Choice choice{.operand = operand, .cells = {}};
  std::map<Rows, machine::Cell> known;
  for (size_t value = 0; value < choice.cells.size(); ++value) {
    Rows left;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(left), [&](uint16_t index) {
      return CanHold(machine, machine.rows[index], operand, value);
    });
    const auto [entry, is_new] = known.try_emplace(left);
    if (is_new) {
      entry->second = {.first = static_cast<uint32_t>(order.size()),
                       .rows = static_cast<uint16_t>(left.size())};
      order.insert(order.end(), left.begin(), left.end());
    }
    choice.cells[value] = entry->second;
  }
  return choice;
}

}  // namespace

void ChooseRows(machine::Machine& machine) {
  machine::Table& table = machine.tables[0];
  for (size_t state = 0; state < table.states; ++state) {
    machine::Cell& cell = table.cells[state * table.events + machine::kPacketEvent];
    if (cell.rows > kMostRows) continue;
    const auto first = table.order.begin() + cell.first;
    const Rows rows(first, first + cell.rows);
    const uint16_t operand = OperandOf(machine, rows);
    if (operand == machine::kNone) continue;
    cell.choice = static_cast<uint16_t>(table.choices.size());
    table.choices.push_back(MakeChoice(machine, rows, operand, table.order));
  }
}

}  // namespace tester
