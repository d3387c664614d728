// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/machine/compiled_table.h"

#include <algorithm>

namespace tester::machine {

bool Shape::Table::Fits(const machine::Table& table) const {
  return events == table.events && state == table.state &&
         std::equal(decisions.begin(), decisions.end(), table.cells.begin(), table.cells.end(),
                    [](uint32_t decision, const Cell& cell) { return decision == cell.decision; });
}

std::vector<Shape::Template::KeyWord> KeyWordsOf(const FrameTemplate& frame,
                                                 const Machine& machine) {
  std::vector<Shape::Template::KeyWord> words;
  for (const FlowValue& value : frame.flow) {
    const size_t header = frame.headers[value.place.header].offset;
    words.push_back({.at = static_cast<uint16_t>(header + value.place.first()),
                     .bits = value.place.bits,
                     .key_offset = machine.flow[value.flow].key_offset,
                     .address = value.place.header != frame.tcp});
  }
  return words;
}

bool Shape::Template::Fits(const FrameTemplate& frame, const Machine& machine) const {
  if (!summed || !frame.summed) return summed == frame.summed;
  return ip == frame.headers[1].offset && tcp == frame.headers[2].offset &&
         std::ranges::equal(flow, KeyWordsOf(frame, machine)) &&
         std::ranges::equal(edits, frame.edits) && std::ranges::equal(options, frame.options);
}

bool Shape::Fits(const Machine& machine) const {
  // How many bits it needs at most is of its numbers.
  const auto alike = [](const Expression& expression, const Expression& other) {
    return expression.first == other.first && expression.terms == other.terms &&
           expression.wide == other.wide;
  };
  const auto fits = [](const Table& table, const machine::Table& other) {
    return table.Fits(other);
  };
  const auto sends = [&machine](const Template& frame, const FrameTemplate& other) {
    return frame.Fits(other, machine);
  };
  return std::ranges::equal(registers, machine.registers) &&
         std::ranges::equal(terms, machine.terms) &&
         std::ranges::equal(expressions, machine.expressions, alike) &&
         std::ranges::equal(decisions, machine.decisions) &&
         std::ranges::equal(rows, machine.rows) && std::ranges::equal(actions, machine.actions) &&
         std::ranges::equal(transmits, machine.transmits) &&
         std::ranges::equal(templates, machine.templates, sends) &&
         std::ranges::equal(tables, machine.tables, fits);
}

}  // namespace tester::machine
