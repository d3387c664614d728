// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Templates, messages and scanners.
#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "plan/protocol/protocol_compiler.h"
#include "responder/packet.h"

namespace tester {
namespace {

constexpr size_t kMaxTemplates = 256;
constexpr size_t kMaxTemplateBytes = machine::kMaxFrameBytes;
constexpr size_t kMaxOptions = 4;
constexpr size_t kMaxOptionBytes = 40;
constexpr size_t kMaxMessages = 255;
constexpr size_t kMaxParts = 64;
constexpr size_t kMaxTextBytes = 65'535;
constexpr size_t kMaxDigits = 39;
constexpr uint8_t kBodyBits = 32;
constexpr size_t kMaxScanners = 16;
constexpr size_t kMaxScannerStates = 1024;
constexpr size_t kMaxFinds = 42;  // three phases of the number of each have 7 bits
constexpr size_t kMaxBefore = 16;
constexpr size_t kMaxScanned = 32'767;

void CompileOptions(const v1::Template& in, std::string_view thing,
                    const ProtocolCompiler& compiler, machine::FrameTemplate& compiled) {
  constexpr std::array<int, 6> kValues = {0, 1, 1, 0, 2, 2};
  constexpr std::array<size_t, 6> kBytes = {0, 4, 4, 4, 12, 12};
  compiler.AtMost("options of a template", static_cast<uint64_t>(in.options_size()), kMaxOptions);
  if (in.options_size() > 0 && compiled.tcp == machine::kNone) {
    Refuse(Cat(compiler.where, ", ", thing), "options, and no header of TCP");
  }
  size_t bytes = 0;
  for (const auto& option : in.options()) {
    const auto kind = static_cast<size_t>(option.kind());
    if (kind < 1 || kind >= kValues.size() || option.values_size() != kValues[kind]) {
      Refuse(Cat(compiler.where, ", ", thing), "option ", int{option.kind()}, " with ",
             option.values_size(),
             " values; MSS and WINDOW_SCALE have one, TIMESTAMP and SACK two, ",
             "SACK_PERMITTED none");
    }
    bytes += kBytes[kind];
    machine::Option made{.kind = static_cast<machine::OptionKind>(kind - 1),
                         .values = {},
                         .only_if = machine::kNone};
    for (size_t i = 0; i < static_cast<size_t>(option.values_size()); ++i) {
      made.values[i] = compiler.Expression(thing, option.values(static_cast<int>(i)));
    }
    if (option.has_only_if()) {
      made.only_if =
          compiler.Index(thing, "register", option.only_if(), compiler.out.registers.size());
    }
    compiled.options.push_back(made);
  }
  compiler.AtMost("bytes of options", bytes, kMaxOptionBytes);
}

std::vector<uint16_t> AppendHeaders(const v1::Template& in, const ProtocolCompiler& compiler,
                                    machine::FrameTemplate& compiled) {
  compiler.Between("headers of a template:", static_cast<uint64_t>(in.headers_size()), 1,
                   machine::kMaxHeaders);
  std::vector<uint16_t> sizes;
  std::vector<machine::HeaderKind> kinds;
  for (const auto& header : in.headers()) {
    const auto octets = static_cast<uint16_t>(header.octets().size());
    const auto kind = KindOf(header, sizes.size(), true, compiler);
    CheckTrailer(kind, kinds, compiler);
    kinds.push_back(kind);
    if (kind == machine::HeaderKind::kTcp && compiled.tcp == machine::kNone) {
      compiled.tcp = static_cast<uint16_t>(sizes.size());
    }
    compiled.headers.push_back(
        {.kind = kind, .offset = static_cast<uint16_t>(compiled.octets.size()), .octets = octets});
    compiled.octets.insert(compiled.octets.end(), header.octets().begin(), header.octets().end());
    sizes.push_back(octets);
    compiler.AtMost("bytes of a template", compiled.octets.size(), kMaxTemplateBytes);
  }
  return sizes;
}

// Options without their values, with no-operations before them (RFC 9293 3.2, RFC 7323).
std::span<const uint8_t> OptionOctets(machine::OptionKind kind) {
  static constexpr std::array<uint8_t, 4> kMss = {2, 4, 0, 0};
  static constexpr std::array<uint8_t, 4> kWindowScale = {1, 3, 3, 0};
  static constexpr std::array<uint8_t, 4> kSackPermitted = {1, 1, 4, 2};
  static constexpr std::array<uint8_t, 12> kTimestamp = {1, 1, 8, 10};
  static constexpr std::array<uint8_t, 12> kSack = {1, 1, 5, 10};
  switch (kind) {
    case machine::OptionKind::kMss:
      return kMss;
    case machine::OptionKind::kWindowScale:
      return kWindowScale;
    case machine::OptionKind::kSackPermitted:
      return kSackPermitted;
    case machine::OptionKind::kTimestamp:
      return kTimestamp;
    case machine::OptionKind::kSack:
      return kSack;
  }
  return {};
}

machine::LaidTemplate LayOut(const machine::FrameTemplate& frame, size_t there) {
  machine::LaidTemplate compiled{.octets = {}, .headers = frame.headers, .options = {}};
  std::vector<uint8_t> options;
  const size_t begin = frame.tcp == machine::kNone ? 0
                                                   : frame.headers[frame.tcp].offset +
                                                         size_t{frame.headers[frame.tcp].octets};
  for (size_t i = 0; i < frame.options.size(); ++i) {
    const bool is_there = (there >> i & 1U) != 0;
    compiled.options.push_back(is_there ? static_cast<uint16_t>(begin + options.size())
                                        : machine::kNone);
    if (!is_there) continue;
    const auto octets = OptionOctets(frame.options[i].kind);
    options.insert(options.end(), octets.begin(), octets.end());
  }
  compiled.octets = frame.octets;
  compiled.octets.insert(compiled.octets.begin() + static_cast<ptrdiff_t>(begin), options.begin(),
                         options.end());
  uint16_t ip = machine::kNone;
  for (size_t i = 0; i < compiled.headers.size(); ++i) {
    machine::FrameHeader& header = compiled.headers[i];
    const auto longer = static_cast<uint16_t>(options.size());
    if (frame.tcp != machine::kNone && i > frame.tcp) header.offset += longer;
    if (i == frame.tcp) header.octets += longer;
    header.ip = ip;
    if (machine::IsIp(header.kind)) ip = static_cast<uint16_t>(i);
  }
  return compiled;
}

// It is read while no packet is in hand, and at any time again.
void CheckBody(uint16_t body, uint8_t most_bits, std::string_view thing,
               const ProtocolCompiler& compiler) {
  const auto& expression = compiler.out.expressions[body];
  const auto* term = &compiler.out.terms[expression.first];
  const bool reads_registers = std::all_of(term, term + expression.terms, [&](const auto& loaded) {
    const auto kind = compiler.out.operands[loaded.operand].kind;
    return kind == machine::Operand::Kind::kNumber || kind == machine::Operand::Kind::kRegister;
  });
  if (reads_registers && expression.bits <= most_bits && !expression.wide) return;
  Refuse(Cat(compiler.where, ", ", thing), "its body may need ", int{expression.bits},
         " bits, or reads a packet; it has at most ", int{most_bits}, ", of registers and numbers");
}

machine::FrameTemplate CompileTemplate(const v1::Template& in, std::string_view thing,
                                       const ProtocolCompiler& compiler) {
  machine::FrameTemplate compiled{};
  compiled.tcp = machine::kNone;
  const std::vector<uint16_t> sizes = AppendHeaders(in, compiler, compiled);
  compiled.header_bytes = static_cast<uint16_t>(compiled.octets.size());
  compiled.octets.insert(compiled.octets.end(), in.payload().begin(), in.payload().end());
  compiler.AtMost("bytes of a template", compiled.octets.size(), kMaxTemplateBytes);
  compiler.AtMost("addresses of a template", static_cast<uint64_t>(in.flow_size()),
                  machine::kMaxHeaders);
  for (const auto& value : in.flow()) {
    const machine::FieldPlace place = compiler.FieldPlaceOf(thing, value.field(), sizes);
    const uint16_t flow =
        compiler.Index(thing, "field of the flow", value.flow(), compiler.out.flow.size());
    if (place.bits != compiler.out.flow[flow].place.bits) {
      Refuse(Cat(compiler.where, ", ", thing), "a field of ", int{place.bits}, " bits for one of ",
             int{compiler.out.flow[flow].place.bits}, " of the flow; they have to be as wide");
    }
    compiled.flow.push_back({.place = place, .flow = static_cast<uint8_t>(flow)});
  }
  for (const auto& edit : in.edits()) {
    compiled.edits.push_back(compiler.EditOf(compiler.FieldPlaceOf(thing, edit.field(), sizes),
                                             compiler.Expression(thing, edit.expression())));
  }
  CompileOptions(in, thing, compiler, compiled);
  if (in.has_body()) {
    compiled.body = compiler.Expression(thing, in.body());
    CheckBody(compiled.body, machine::kNarrowBits, thing, compiler);
  }
  for (size_t there = 0; there < size_t{1} << compiled.options.size(); ++there) {
    compiled.laid.push_back(LayOut(compiled, there));
  }
  SumTemplate(compiled);
  return compiled;
}

machine::MessagePart CompilePart(const v1::Part& part, std::string_view thing,
                                 const ProtocolCompiler& compiler) {
  machine::MessagePart compiled;
  if (part.has_digits()) {
    const auto& digits = part.digits();
    compiler.Between("digits of a number:", digits.digits(), 1, kMaxDigits);
    compiler.Between("character before a number:", digits.fill(), 0x20, 0x7e);
    compiled.operand =
        compiler.Index(thing, "operand", digits.operand(), compiler.out.operands.size());
    compiled.digits = static_cast<uint8_t>(digits.digits());
    compiled.fill = static_cast<uint8_t>(digits.fill());
    return compiled;
  }
  compiled.text.assign(part.text().begin(), part.text().end());
  return compiled;
}

machine::TableMessage CompileMessage(const v1::TableMessage& in, std::string_view thing,
                                     const ProtocolCompiler& compiler) {
  compiler.AtMost("parts of a message", static_cast<uint64_t>(in.parts_size()), kMaxParts);
  compiler.Between("bytes to fill a message with:", in.fill().size(), 1, machine::kMaxFillBytes);
  machine::TableMessage compiled{};
  size_t bytes = 0;
  for (const auto& part : in.parts()) {
    compiled.parts.push_back(CompilePart(part, thing, compiler));
    bytes += compiled.parts.back().bytes();
  }
  compiler.AtMost("bytes of a message's text", bytes, kMaxTextBytes);
  compiled.text_bytes = static_cast<uint32_t>(bytes);
  compiled.body = compiler.Expression(thing, in.body());
  CheckBody(compiled.body, kBodyBits, thing, compiler);
  compiled.fill_bytes = static_cast<uint32_t>(in.fill().size());
  compiled.fill = machine::Repeated(in.fill());
  SumFill(compiled);
  return compiled;
}

std::vector<machine::Assignment> CompileAssignments(
    const google::protobuf::RepeatedPtrField<v1::Variable>& in, size_t table,
    std::string_view thing, const ProtocolCompiler& compiler) {
  std::vector<machine::Assignment> compiled;
  for (const auto& variable : in) {
    const uint16_t reg = compiler.Variable(thing, variable.register_(), table);
    compiled.push_back(
        {.reg = reg,
         .value = compiler.Number(thing, variable.initial(), compiler.out.registers[reg].bits)});
  }
  return compiled;
}

machine::Find CompileFind(const v1::Find& in, size_t table, std::string_view thing,
                          const ProtocolCompiler& compiler) {
  machine::Find compiled;
  compiled.set = CompileAssignments(in.set(), table, thing, compiler);
  compiled.add = CompileAssignments(in.add(), table, thing, compiler);
  if (!in.has_number()) return compiled;
  const auto& number = in.number();
  if (number.base() != 10 && number.base() != 16) {
    Refuse(Cat(compiler.where, ", ", thing), "a number of base ", number.base(),
           "; the bases are 10 and 16");
  }
  compiler.AtMost("bytes behind a number", number.before().size(), kMaxBefore);
  compiled.number = {.reg = compiler.Variable(thing, number.register_(), table),
                     .base = static_cast<uint8_t>(number.base()),
                     .before = {number.before().begin(), number.before().end()},
                     .otherwise = CompileAssignments(number.otherwise(), table, thing, compiler)};
  return compiled;
}

machine::Resting RestingOf(const machine::Scanner& scanner, uint32_t state) {
  machine::Resting compiled;
  size_t leaving = 0;
  for (size_t byte = 0; byte < scanner.class_of.size(); ++byte) {
    const uint32_t begin = scanner.BeginOf(state);
    if (scanner.steps[begin + scanner.class_of[byte]] == begin) continue;
    if (leaving == compiled.leaving.size()) return {};
    // Places behind it repeat it until the next one.
    std::fill(compiled.leaving.begin() + static_cast<ptrdiff_t>(leaving++), compiled.leaving.end(),
              static_cast<uint8_t>(byte));
  }
  compiled.rests = leaving > 0;
  return compiled;
}

void CompileAutomaton(const v1::Scanner& in, std::string_view thing,
                      const ProtocolCompiler& compiler, machine::Scanner& compiled) {
  const auto states = static_cast<size_t>(in.found_size());
  const auto steps = static_cast<size_t>(in.steps_size());
  compiler.Between("states of a scanner:", states, 1, kMaxScannerStates);
  if (in.classes().size() != compiled.class_of.size() || steps % states != 0 || steps == 0 ||
      steps / states > compiled.class_of.size()) {
    Refuse(Cat(compiler.where, ", ", thing), in.classes().size(), " classes of bytes and ", steps,
           " steps of ", states, " states; there are 256, and a step for each state and class");
  }
  const size_t classes = steps / states;
  compiled.shift = static_cast<uint8_t>(std::bit_width(classes - 1));
  for (size_t byte = 0; byte < compiled.class_of.size(); ++byte) {
    compiled.class_of[byte] = static_cast<uint8_t>(
        compiler.Index(thing, "class", static_cast<uint8_t>(in.classes()[byte]), classes));
  }
  compiled.steps.resize(states << compiled.shift);
  for (size_t i = 0; i < steps; ++i) {
    const uint32_t step = in.steps(static_cast<int>(i));
    compiled.steps[(i / classes << compiled.shift) + i % classes] =
        compiled.BeginOf(compiler.Index(thing, "state", step, states));
  }
  for (const auto& found : in.found()) {
    std::vector<uint8_t> finds;
    compiler.AtMost("finds of a state", static_cast<uint64_t>(found.finds_size()), kMaxFinds);
    for (const uint32_t find : found.finds()) {
      finds.push_back(
          static_cast<uint8_t>(compiler.Index(thing, "find", find, compiled.finds.size())));
    }
    compiled.found.push_back(std::move(finds));
  }
  for (uint32_t state = 0; state < states; ++state)
    compiled.resting.push_back(RestingOf(compiled, state));
  for (uint32_t& step : compiled.steps) {
    const uint32_t state = compiled.StateAt(step);
    if (!compiled.found[state].empty()) step |= machine::Scanner::kFinds;
    if (compiled.resting[state].rests) step |= machine::Scanner::kRests;
  }
}

machine::Scanner CompileScanner(const v1::Scanner& in, size_t table, std::string_view thing,
                                ProtocolCompiler& compiler) {
  machine::Scanner compiled{};
  machine::Table& of = compiler.out.tables[table];
  compiled.reg = compiler.Use(thing, in.register_(), {RegisterUse::Role::kScanner, table}, 32);
  compiler.out.registers[compiled.reg].Set(of.kept, UINT64_MAX);
  compiler.Between("bytes to scan at most:", in.most(), 1, kMaxScanned);
  compiled.most = static_cast<uint16_t>(in.most());
  compiled.ended = compiler.Index(thing, "event", in.ended(), of.events);
  compiled.overlong = compiler.Index(thing, "event", in.overlong(), of.events);
  compiler.AtMost("finds of a scanner", static_cast<uint64_t>(in.finds_size()), kMaxFinds);
  for (const auto& find : in.finds()) {
    compiled.finds.push_back(CompileFind(find, table, thing, compiler));
  }
  compiler.AtMost("finds that end a scan", in.ends(), compiled.finds.size());
  compiled.ends = static_cast<uint16_t>(in.ends());
  if (in.begins() && compiled.finds.size() == in.ends()) {
    Refuse(Cat(compiler.where, ", ", thing), "its begin is the last find, and all of its ",
           in.ends(), " end the scan");
  }
  if (in.begins()) compiled.begin = static_cast<uint16_t>(compiled.finds.size() - 1);
  CompileAutomaton(in, thing, compiler, compiled);
  return compiled;
}

}  // namespace

void CompileSending(ProtocolCompiler& compiler) {
  auto& out = compiler.out;
  for (size_t table = 0; table < out.tables.size(); ++table) {
    const auto& in = compiler.in.tables(static_cast<int>(table));
    auto& begins = compiler.begins[table];
    begins.templates = static_cast<uint16_t>(out.templates.size());
    begins.messages = static_cast<uint16_t>(out.messages.size());
    begins.scanners = static_cast<uint16_t>(out.scanners.size());
    out.tables[table].first_message = begins.messages;
    compiler.AtMost("templates", static_cast<uint64_t>(in.templates_size()), kMaxTemplates);
    compiler.AtMost("messages", static_cast<uint64_t>(in.messages_size()), kMaxMessages);
    compiler.AtMost("scanners", static_cast<uint64_t>(in.scanners_size()), kMaxScanners);
    const auto name = [table](std::string_view what, int number) {
      return Cat("table ", table, ", ", what, " ", number);
    };
    for (int i = 0; i < in.templates_size(); ++i) {
      out.templates.push_back(CompileTemplate(in.templates(i), name("template", i), compiler));
    }
    for (int i = 0; i < in.messages_size(); ++i) {
      out.messages.push_back(CompileMessage(in.messages(i), name("message", i), compiler));
    }
    for (int i = 0; i < in.scanners_size(); ++i) {
      out.scanners.push_back(CompileScanner(in.scanners(i), table, name("scanner", i), compiler));
    }
  }
}

}  // namespace tester
