// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/protocol_compiler.h"

namespace tester {
namespace {

using machine::Action;
using machine::ActionKind;

constexpr size_t kMaxAppend = 1024;
constexpr uint32_t kMostFrames = 255;

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
};

Action CompileAssign(const v1::Assign& assign, const Scope& scope) {
  constexpr std::array kKinds = {ActionKind::kSet, ActionKind::kAdd, ActionKind::kSubtract,
                                 ActionKind::kLimit, ActionKind::kRaise};
  const auto change = scope.compiler.Index(scope.thing, "change",
                                           static_cast<uint32_t>(assign.change()), kKinds.size());
  const ActionKind kind = kKinds[change];
  const bool exact = kind == ActionKind::kLimit || kind == ActionKind::kRaise;
  const auto& out = scope.compiler.out;
  Action compiled{
      .kind = kind,
      .a = scope.Variable(assign.register_()),
      .b = exact ? scope.Exact(assign.expression()) : scope.Expression(assign.expression())};
  compiled.reg = out.registers[compiled.a];
  // One of more bits is changed as a wide number.
  if (out.expressions[compiled.b].wide || compiled.reg.bits > machine::kNarrowBits) return compiled;
  compiled.detail = 1;
  compiled.load = scope.compiler.FieldLoadOf(compiled.b);
  return compiled;
}

Action CompileReply(const v1::Reply& reply, const Scope& scope) {
  auto& compiler = scope.compiler;
  machine::Reply compiled;
  for (const auto& edit : reply.edits()) {
    compiled.edits.push_back(
        compiler.EditOf(compiler.PlaceOf(scope.thing, edit.field(), compiler.HeaderSizes()),
                        scope.Expression(edit.expression())));
  }
  if (reply.has_keep()) compiled.keep = scope.Exact(reply.keep());
  compiler.AtMost("bytes to append", reply.append().size(), kMaxAppend);
  compiled.append.assign(reply.append().begin(), reply.append().end());
  compiler.out.replies.push_back(std::move(compiled));
  return {.kind = ActionKind::kReply, .a = static_cast<uint16_t>(compiler.out.replies.size() - 1)};
}

Action CompileTransmit(const v1::Transmit& transmit, const Scope& scope) {
  auto& compiler = scope.compiler;
  compiler.Between("frames to transmit at most:", transmit.most(), 1, kMostFrames);
  compiler.AtMost("edges", static_cast<uint64_t>(transmit.edges_size()), machine::kMaxEdges);
  machine::Transmit compiled{.frame = scope.Template(transmit.template_()),
                             .position = scope.Variable(transmit.position()),
                             .end = scope.Exact(transmit.end()),
                             .size = scope.Exact(transmit.size()),
                             .most = static_cast<uint16_t>(transmit.most())};
  for (const uint32_t edge : transmit.edges())
    compiled.edges[compiled.edge_count++] = scope.Exact(edge);
  if (transmit.has_reached()) compiled.reached = scope.Variable(transmit.reached());
  if (transmit.has_final() != transmit.has_closing()) {
    Refuse(Cat(compiler.where, ", ", scope.thing), "final and closing go together");
  }
  if (transmit.has_final()) {
    compiled.final = scope.Template(transmit.final());
    compiled.closing = scope.Variable(transmit.closing());
  }
  compiler.out.transmits.push_back(compiled);
  return {.kind = ActionKind::kTransmit,
          .a = static_cast<uint16_t>(compiler.out.transmits.size() - 1)};
}

Action CompileCount(const v1::Count& count, const Scope& scope) {
  scope.compiler.Between("bits of a count:", count.bits(), 1, 64);
  Action compiled{.kind = ActionKind::kCount,
                  .a = scope.Thing("counter", count.counter(), scope.in().counters_size(),
                                   scope.begins().counters),
                  .b = scope.Expression(count.expression()),
                  .c = static_cast<uint16_t>(count.bits())};
  compiled.load = scope.compiler.FieldLoadOf(compiled.b);
  compiled.load.mask &= machine::NarrowMask(count.bits());
  return compiled;
}

Action CompileCall(const v1::Call& call, const Scope& scope) {
  Action compiled{.kind = ActionKind::kCall,
                  .detail = call.data() ? uint8_t{1} : uint8_t{0},
                  .a = machine::kNone};
  if (!call.has_event()) return compiled;
  const auto& tables = scope.compiler.out.tables;
  const size_t above = scope.table + 1;
  compiled.a = scope.compiler.Index(scope.thing, "event of the table above", call.event(),
                                    above < tables.size() ? tables[above].events : 0U);
  return compiled;
}

Action CompileTell(const v1::Tell& tell, const Scope& scope) {
  const auto& tables = scope.compiler.out.tables;
  const uint16_t table = scope.compiler.Index(scope.thing, "table", tell.table(), tables.size());
  return {.kind = ActionKind::kTell,
          .a = table,
          .b = scope.compiler.Index(scope.thing, "event", tell.event(), tables[table].events)};
}

Action CompileSay(const v1::Say& say, const Scope& scope) {
  auto& compiler = scope.compiler;
  if (scope.table == 0 || scope.compiled_table().message == machine::kNone) {
    Refuse(Cat(compiler.where, ", ", scope.thing),
           "a message is said by a table over another that has a register for it");
  }
  const auto count = static_cast<size_t>(scope.in().messages_size());
  return {
      .kind = ActionKind::kSay,
      .a = static_cast<uint16_t>(compiler.Index(scope.thing, "message", say.message(), count) + 1),
      .b = compiler.Index(scope.thing, "event of the table below", say.event(),
                          compiler.out.tables[scope.table - 1].events)};
}

Action CompileStartTimer(const v1::StartTimer& start, const Scope& scope) {
  Action compiled{
      .kind = ActionKind::kStartTimer,
      .a = scope.Thing("timer", start.timer(), scope.in().timers_size(), scope.begins().timers),
      .b = scope.Exact(start.expression())};
  const auto& out = scope.compiler.out;
  compiled.reg = out.registers[out.timers[compiled.a].reg];
  return compiled;
}

Action CompileRecord(const v1::Record& record, const Scope& scope) {
  return {.kind = ActionKind::kRecord,
          .a = scope.Thing("histogram", record.histogram(), scope.in().histograms_size(),
                           scope.begins().histograms),
          .b = scope.Exact(record.expression())};
}

}  // namespace

machine::Action CompileAction(const v1::Action& action, size_t table, std::string_view thing,
                              ProtocolCompiler& compiler) {
  const Scope scope{.table = table, .thing = thing, .compiler = compiler};
  switch (action.action_case()) {
    case v1::Action::kAssign:
      return CompileAssign(action.assign(), scope);
    case v1::Action::kRandomize:
      return {.kind = ActionKind::kRandomize, .a = scope.Variable(action.randomize())};
    case v1::Action::kReply:
      return CompileReply(action.reply(), scope);
    case v1::Action::kSend:
      return {.kind = ActionKind::kSend, .a = scope.Template(action.send())};
    case v1::Action::kTransmit:
      return CompileTransmit(action.transmit(), scope);
    case v1::Action::kStartTimer:
      return CompileStartTimer(action.start_timer(), scope);
    case v1::Action::kStopTimer:
      return {.kind = ActionKind::kStopTimer,
              .a = scope.Thing("timer", action.stop_timer(), scope.in().timers_size(),
                               scope.begins().timers)};
    case v1::Action::kCount:
      return CompileCount(action.count(), scope);
    case v1::Action::kRecord:
      return CompileRecord(action.record(), scope);
    case v1::Action::kCall:
      return CompileCall(action.call(), scope);
    case v1::Action::kTell:
      return CompileTell(action.tell(), scope);
    case v1::Action::kStep:
      return {.kind = ActionKind::kStep, .a = scope.Event(action.step())};
    case v1::Action::kSkip:
      return {.kind = ActionKind::kSkip, .a = scope.Exact(action.skip())};
    case v1::Action::kLengthen:
      return {.kind = ActionKind::kLengthen, .a = scope.Exact(action.lengthen())};
    case v1::Action::kScan:
      return {.kind = ActionKind::kScan,
              .a = scope.Thing("scanner", action.scan(), scope.in().scanners_size(),
                               scope.begins().scanners)};
    case v1::Action::kTake:
      return {.kind = ActionKind::kTake, .a = scope.Variable(action.take())};
    case v1::Action::kSay:
      return CompileSay(action.say(), scope);
    case v1::Action::ACTION_NOT_SET:
      break;
  }
  Refuse(Cat(compiler.where, ", ", thing), "it does nothing; it has one of Action's");
}

}  // namespace tester
