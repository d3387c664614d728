// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/made.h"

#include <algorithm>

namespace tester::machine {

bool Shape::Table::Fits(const machine::Table& table) const {
  return events == table.events && state == table.state &&
         std::equal(decisions.begin(), decisions.end(), table.cells.begin(), table.cells.end(),
                    [](uint32_t own, const Cell& cell) { return own == cell.decision; });
}

bool Shape::Fits(const Machine& machine) const {
  // How many bits it needs at most is of its numbers.
  const auto alike = [](const Expression& own, const Expression& other) {
    return own.first == other.first && own.terms == other.terms && own.wide == other.wide;
  };
  const auto fits = [](const Table& own, const machine::Table& other) { return own.Fits(other); };
  return std::ranges::equal(registers, machine.registers) &&
         std::ranges::equal(terms, machine.terms) &&
         std::ranges::equal(expressions, machine.expressions, alike) &&
         std::ranges::equal(decisions, machine.decisions) &&
         std::ranges::equal(rows, machine.rows) && std::ranges::equal(actions, machine.actions) &&
         std::ranges::equal(transmits, machine.transmits) &&
         std::ranges::equal(tables, machine.tables, fits);
}

}  // namespace tester::machine
