// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/protocol/protocol_compiler.h"
#include "responder/machine/action_list.h"

namespace tester {
namespace {

// The table of an action, and how errors name it.
struct Scope {
  size_t table;
  std::string_view thing;
  ProtocolCompiler& compiler;

  const v1::Table& in() const { return compiler.in.tables(static_cast<int>(table)); }
  const machine::Table& compiled_table() const { return compiler.out.tables[table]; }
  const ProtocolCompiler::Begins& begins() const { return compiler.begins[table]; }
  uint16_t Variable(uint32_t index) const { return compiler.Variable(thing, index, table); }
  uint16_t Expression(uint32_t index) const { return compiler.Expression(thing, index); }
  uint16_t Exact(uint32_t index) const { return compiler.ExactExpression(thing, index); }
  uint16_t Event(uint32_t index) const {
    return compiler.Index(thing, "event", index, compiled_table().events);
  }
  // One of the table's things, by its number in the machine.
  uint16_t Thing(std::string_view what, uint32_t index, int count, uint16_t begin) const {
    return static_cast<uint16_t>(begin +
                                 compiler.Index(thing, what, index, static_cast<size_t>(count)));
  }
  uint16_t Template(uint32_t index) const {
    return Thing("template", index, in().templates_size(), begins().templates);
  }
  [[noreturn]] void RefuseIt(std::string_view why) const {
    Refuse(Cat(compiler.where, ", ", thing), why);
  }
};

}  // namespace

machine::Action CompileAction(const v1::Action& action, size_t table, std::string_view thing,
                              ProtocolCompiler& compiler) {
  const Scope scope{.table = table, .thing = thing, .compiler = compiler};
  machine::Action compiled;
  const bool known = machine::AnyAction([&]<typename Each, machine::ActionKind kKind>() {
    if (action.action_case() != Each::template kCase<v1::Action>) return false;
    compiled = Each::Compile(action, scope);
    compiled.kind = kKind;
    return true;
  });
  if (!known) scope.RefuseIt("it does nothing; it has one of Action's");
  return compiled;
}

}  // namespace tester
