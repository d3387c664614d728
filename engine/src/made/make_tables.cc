// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Runs while the engine is built: from a shipped table, as a plan has it, to the source of its code
// (made_rows.h), or to that of the list of all of them.
//
//   make_tables table NAME FILE > NAME.cc      FILE: as engine/fuzz/responder_fuzz.cc has it
//   make_tables list NAME... > list.cc
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "error.h"
#include "plan/compile_protocol.h"
#include "responder/made.h"
#include "tester/v1/responder.pb.h"
#include "text.h"
#include "wire/bytes.h"

namespace tester::machine {
namespace {

// As C++ has it between braces.
std::string Braced(const std::vector<std::string>& values) { return Cat("{", Join(values), "}"); }

std::string Text(uint64_t value) { return Cat(value, "U"); }

template <typename Number>
std::string Text(const std::vector<Number>& values) {
  std::vector<std::string> texts;
  for (const Number value : values) texts.push_back(Text(value));
  return Braced(texts);
}

template <typename Enum>
std::string Kind(std::string_view type, Enum value) {
  return Cat("static_cast<", type, ">(", static_cast<unsigned>(value), ")");
}

std::string Text(const Spot& own) {
  return Braced({Kind("Spot::Kind", own.kind), Text(own.base), Text(own.shift), Cat(own.byte),
                 Text(own.mask)});
}
std::string Text(const Register& own) {
  return Braced({Text(own.word), Text(own.shift), Text(own.bits), Text(own.mask)});
}
std::string Text(const Term& own) {
  return Braced({Kind("Operator", own.op), Text(own.operand), Text(own.spot)});
}
std::string Text(const Expression& own) {
  return Braced({Text(own.first), Text(own.terms), own.wide ? "true" : "false", Text(own.bits)});
}
std::string Text(const Decision& own) {
  const std::vector<uint64_t> next(own.next.begin(), own.next.end());
  return Braced({Kind("Decision::Kind", own.kind), Text(own.left), Text(own.right), Text(own.first),
                 Text(own.second), Text(own.mask), Text(own.value), Braced({Text(next)})});
}
std::string Text(const Row& own) {
  return Braced({Text(own.first_test), Text(own.first_action), Text(own.tests), Text(own.actions),
                 Text(own.to)});
}
std::string Text(const Action& own) {
  return Braced({Kind("ActionKind", own.kind), Text(own.detail), Text(own.a), Text(own.b),
                 Text(own.c), Text(own.reg), Text(own.spot)});
}
std::string Text(const Transmit& own) {
  const std::vector<uint64_t> edges(own.edges.begin(), own.edges.end());
  return Braced({Text(own.frame), Text(own.position), Text(own.end), Braced({Text(edges)}),
                 Text(own.edge_count), Text(own.size), Text(own.most), Text(own.reached),
                 Text(own.final), Text(own.closing)});
}
std::string Text(const Place& own) {
  return Braced({Text(own.header), Text(own.bits), Text(own.offset)});
}
std::string Text(const Edit& own) {
  return Braced({Text(own.place), Text(own.expression), Text(own.spot)});
}
std::string Text(const Option& own) {
  const std::vector<uint64_t> values(own.values.begin(), own.values.end());
  return Braced({Kind("OptionKind", own.kind), Braced({Text(values)}), Text(own.only_if)});
}
std::string Text(const Shape::Template::KeyWord& own) {
  return Braced(
      {Text(own.at), Text(own.bits), Text(own.key_offset), own.address ? "true" : "false"});
}
std::string Text(const Cell& own) { return Text(own.decision); }

template <typename Thing>
void PrintArray(std::string_view type, std::string_view name, const std::vector<Thing>& things) {
  std::cout << "constexpr std::array<" << type << ", " << things.size() << "> " << name
            << " = {{\n";
  for (const Thing& thing : things) std::cout << "    " << Text(thing) << ",\n";
  std::cout << "}};\n";
}

// A C++ identifier of "http-server".
std::string Identifier(std::string_view name) {
  std::string own = "kMade_";
  for (const char c : name) own += c == '-' ? '_' : c;
  return own;
}

void PrintBegin() {
  std::cout << "// Made by make_tables.cc.\n#include <array>\n\n#include \"made/made_tables.h\"\n";
}

void PrintTemplates(const Machine& machine) {
  std::vector<std::string> templates;
  for (size_t i = 0; i < machine.templates.size(); ++i) {
    const FrameTemplate& own = machine.templates[i];
    if (!own.summed) {
      templates.emplace_back("Shape::Template{}");
      continue;
    }
    PrintArray("Shape::Template::KeyWord", Cat("kFlow", i), KeyWordsOf(own, machine));
    PrintArray("Edit", Cat("kEdits", i), own.edits);
    PrintArray("Option", Cat("kOptions", i), own.options);
    templates.push_back(Cat(
        "Shape::Template", Braced({"true", Text(own.headers[1].offset), Text(own.headers[2].offset),
                                   Cat("kFlow", i), Cat("kEdits", i), Cat("kOptions", i)})));
  }
  std::cout << "constexpr std::array<Shape::Template, " << templates.size()
            << "> kTemplates = {{\n";
  for (const std::string& text : templates) std::cout << "    " << text << ",\n";
  std::cout << "}};\n";
}

void PrintTable(const std::string& name, const Machine& machine) {
  PrintBegin();
  std::cout << "#include \"made/made_rows.h\"\n\nnamespace tester::machine {\nnamespace {\n\n";
  PrintArray("Register", "kRegisters", machine.registers);
  PrintArray("Term", "kTerms", machine.terms);
  PrintArray("Expression", "kExpressions", machine.expressions);
  PrintArray("Decision", "kDecisions", machine.decisions);
  PrintArray("Row", "kRows", machine.rows);
  PrintArray("Action", "kActions", machine.actions);
  PrintArray("Transmit", "kTransmits", machine.transmits);
  PrintTemplates(machine);
  std::vector<std::string> tables;
  std::vector<std::string> dispatch;
  for (size_t i = 0; i < machine.tables.size(); ++i) {
    const Table& table = machine.tables[i];
    PrintArray("uint32_t", Cat("kCells", i), table.cells);
    tables.push_back(Braced({Text(table.events), Text(table.state), Cat("kCells", i)}));
    dispatch.push_back(Cat("MadeRows<kShape>::Dispatch<", i, ">"));
  }
  std::cout << "constexpr std::array<Shape::Table, " << tables.size() << "> kTables = {"
            << Braced(tables) << "};\n"
            << "constexpr Shape kShape = {kRegisters, kTerms, kExpressions, kDecisions, kRows, "
               "kActions, kTransmits, kTemplates, kTables};\n\n}  // namespace\n\n"
            << "extern const Made " << Identifier(name) << ";\n"
            << "const Made " << Identifier(name) << " = {\"" << name << "\", kShape, "
            << Braced({Braced(dispatch)}) << "};\n\n}  // namespace tester::machine\n";
}

void PrintList(std::span<char* const> names) {
  PrintBegin();
  std::cout << "\nnamespace tester::machine {\n\n";
  for (const char* name : names) std::cout << "extern const Made " << Identifier(name) << ";\n";
  std::cout << "\nstd::span<const Made* const> AllMade() {\n"
            << "  static constexpr std::array<const Made*, " << names.size() << "> kAll = {{\n";
  for (const char* name : names) std::cout << "      &" << Identifier(name) << ",\n";
  std::cout << "  }};\n  return kAll;\n}\n\n}  // namespace tester::machine\n";
}

// Rows that are found in another way than by questions, which no shipped table has.
bool IsAsked(const Machine& machine) {
  const auto asked = [](const Table& table) {
    return std::ranges::none_of(
        table.cells, [](const Cell& cell) { return cell.decision == Decision::kUndecided; });
  };
  return machine.choices.empty() && std::ranges::all_of(machine.tables, asked);
}

int MakeTable(const std::string& name, const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  const size_t bytes = all.size() < 2 ? 0 : wire::Load16(BytesOf(all).data());
  v1::Responder responder;
  if (bytes == 0 || bytes > all.size() - 2 ||
      !responder.ParseFromArray(all.data() + 2, static_cast<int>(bytes))) {
    std::cerr << path << ": it does not begin with a Responder of responder.proto\n";
    return 1;
  }
  const Machine machine = CompileProtocol(responder.protocol(), path);
  if (!IsAsked(machine)) {
    std::cerr << path << ": it has rows that no code is made of (made_rows.h)\n";
    return 1;
  }
  PrintTable(name, machine);
  return 0;
}

}  // namespace
}  // namespace tester::machine

int main(int argc, char** argv) {
  const std::span<char* const> arguments(argv, static_cast<size_t>(argc));
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "list") {
    tester::machine::PrintList(arguments.subspan(2));
    return 0;
  }
  if (what != "table" || argc != 4) {
    std::cerr << "usage: make_tables table NAME FILE | list NAME...\n";
    return 2;
  }
  try {
    return tester::machine::MakeTable(argv[2], argv[3]);
  } catch (const tester::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
