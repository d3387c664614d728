// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/protocol/compile_protocol.h"

#include <algorithm>
#include <span>
#include <utility>

#include "plan/protocol/protocol_compiler.h"
#include "responder/flows/flow.h"
#include "responder/packet.h"

namespace tester {
namespace {

constexpr size_t kMaxNameBytes = 128;
constexpr size_t kMaxHeaderBytes = 256;
constexpr size_t kMaxIpBytes = 60;  // with options
constexpr size_t kMaxAnnounced = 128;
constexpr size_t kMaxRegisters = 64;
constexpr uint32_t kWordBits = 64;
constexpr uint32_t kColdBegin = kWordBits * machine::kLineWords;
constexpr uint32_t kColdEnd = kColdBegin + kWordBits * machine::kColdWordCount;
constexpr size_t kMaxNumberBytes = 16;

struct KindSize {
  v1::Header::Kind kind;
  machine::HeaderKind compiled;
  size_t least;
  bool exact;  // options may follow it
};

constexpr std::array kKinds = {
    KindSize{v1::Header::KIND_PLAIN, machine::HeaderKind::kPlain, 1, false},
    KindSize{v1::Header::KIND_ETHERNET, machine::HeaderKind::kEthernet, 14, true},
    KindSize{v1::Header::KIND_IPV4, machine::HeaderKind::kIpv4, 20, true},
    KindSize{v1::Header::KIND_IPV6, machine::HeaderKind::kIpv6, 40, true},
    KindSize{v1::Header::KIND_UDP, machine::HeaderKind::kUdp, 8, true},
    KindSize{v1::Header::KIND_TCP, machine::HeaderKind::kTcp, 20, true},
    KindSize{v1::Header::KIND_ICMP, machine::HeaderKind::kIcmp, 4, false},
    KindSize{v1::Header::KIND_ICMPV6, machine::HeaderKind::kIcmpv6, 4, false},
    KindSize{v1::Header::KIND_GTP_U, machine::HeaderKind::kGtpU, 8, false},
    KindSize{v1::Header::KIND_BTH, machine::HeaderKind::kBth, wire::kBthBytes, true},
};

machine::Header CompileHeader(const v1::Header& header, size_t index, ProtocolCompiler& compiler) {
  machine::Header compiled{.kind = KindOf(header, index, false, compiler),
                           .octets = static_cast<uint16_t>(header.octets().size()),
                           .announced = {},
                           .wide = {}};
  compiler.AtMost("announced values of a header", static_cast<uint64_t>(header.announced_size()),
                  kMaxAnnounced);
  const std::vector<uint16_t> sizes(index + 1, compiled.octets);
  for (const auto& value : header.announced()) {
    const std::string thing = Cat("header ", index, ", announced value");
    if (value.field().header() != index) {
      Refuse(compiler.where, thing, " is of header ", value.field().header());
    }
    const machine::FieldPlace place = compiler.FieldPlaceOf(thing, value.field(), sizes);
    const Uint128 number = compiler.Number(thing, value.value(), place.bits);
    const machine::FieldLoad load = machine::FieldLoadOf(place);
    if (load.kind == machine::FieldLoad::Kind::kNone) {
      compiled.wide.push_back({.place = place, .value = number});
    } else {
      compiled.announced.push_back({.load = load, .value = static_cast<uint64_t>(number)});
    }
  }
  return compiled;
}

void JoinKey(machine::Machine& out) {
  for (const auto& field : out.flow) {
    if (!field.place.aligned()) return out.key_runs.clear();
    const auto first = static_cast<uint16_t>(field.place.first());
    const auto bytes = static_cast<uint16_t>(field.bytes());
    if (!out.key_runs.empty()) {
      auto& last = out.key_runs.back();
      if (last.header == field.place.header && last.first + last.bytes == first) {
        last.bytes = static_cast<uint16_t>(last.bytes + bytes);
        continue;
      }
    }
    out.key_runs.push_back({.header = field.place.header,
                            .key_offset = field.key_offset,
                            .first = first,
                            .bytes = bytes});
  }
}

void CompileFlow(ProtocolCompiler& compiler) {
  auto& out = compiler.out;
  const auto count = static_cast<size_t>(compiler.in.flow_size());
  compiler.AtMost("fields of a flow", count, machine::kMaxHeaders);
  for (const auto& field : compiler.in.flow()) {
    const machine::FieldPlace place =
        compiler.FieldPlaceOf("field of the flow", field.field(), compiler.HeaderSizes());
    out.flow.push_back({.place = place,
                        .key_offset = static_cast<uint8_t>(out.key_bytes),
                        .opposite = static_cast<uint8_t>(compiler.Index(
                            "field of the flow", "opposite", field.opposite(), count))});
    out.key_bytes += out.flow.back().bytes();
    compiler.AtMost("bytes of a flow's fields", out.key_bytes, machine::kMaxKeyBytes);
  }
  for (const auto& field : out.flow) {
    if (out.flow[field.opposite].place.bits == field.place.bits) continue;
    Refuse(compiler.where, "a field of the flow of ", int{field.place.bits}, " bits has one of ",
           int{out.flow[field.opposite].place.bits}, " as its opposite; they have to be as wide");
  }
  JoinKey(out);
}

}  // namespace

machine::HeaderKind KindOf(const v1::Header& header, size_t index, bool of_template,
                           const ProtocolCompiler& compiler) {
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(),
                                 [&](const KindSize& size) { return size.kind == header.kind(); });
  const size_t bytes = header.octets().size();
  if (kind == kKinds.end()) {
    Refuse(compiler.where, "header ", index, " is of kind ", int{header.kind()},
           "; the kinds are those of Header.Kind");
  }
  const bool has_options = of_template && kind->compiled == machine::HeaderKind::kIpv4;
  const size_t most = has_options ? kMaxIpBytes : kind->exact ? kind->least : kMaxHeaderBytes;
  if (bytes < kind->least || bytes > most || (has_options && bytes % 4 != 0)) {
    Refuse(compiler.where, "header ", index, " has ", bytes, " bytes; one of its kind has ",
           kind->least, most == kind->least ? "" : Cat(" to ", most),
           has_options ? " in steps of 4" : "");
  }
  if ((index == 0) != (kind->compiled == machine::HeaderKind::kEthernet)) {
    Refuse(compiler.where, "header ", index, ": the first one is of kind ETHERNET, and no other");
  }
  return kind->compiled;
}

Uint128 ProtocolCompiler::Number(std::string_view thing, const std::string& bytes,
                                 uint32_t bits) const {
  if (bytes.empty() || bytes.size() > kMaxNumberBytes) {
    Refuse(Cat(where, ", ", thing), "a number of ", bytes.size(), " bytes; allowed are 1 to 16");
  }
  Uint128 value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<uint8_t>(byte);
  if (value > machine::MaskOf(bits)) {
    Refuse(Cat(where, ", ", thing), "a number that does not fit ", bits, " bits");
  }
  return value;
}

machine::FieldPlace ProtocolCompiler::FieldPlaceOf(std::string_view thing, const v1::Field& field,
                                                   const std::vector<uint16_t>& sizes) const {
  const uint16_t header = Index(thing, "header", field.header(), sizes.size());
  const uint64_t end = uint64_t{field.offset()} + field.bits();
  if (field.bits() < 1 || field.bits() > 128 || end > uint64_t{sizes[header]} * 8) {
    Refuse(Cat(where, ", ", thing), field.bits(), " bits from bit ", field.offset(), " on of ",
           sizes[header] * 8, "; a field has 1 to 128, within its header");
  }
  return {.header = static_cast<uint8_t>(header),
          .bits = static_cast<uint8_t>(field.bits()),
          .offset = static_cast<uint16_t>(field.offset())};
}

uint16_t ProtocolCompiler::Use(std::string_view thing, uint32_t index, RegisterUse use,
                               uint32_t bits) {
  const uint16_t reg = Index(thing, "register", index, out.registers.size());
  if (bits != 0 && out.registers[reg].bits != bits) {
    Refuse(Cat(where, ", ", thing), "a register of ", int{out.registers[reg].bits},
           " bits; it has to have ", bits);
  }
  if (uses[reg].role != RegisterUse::Role::kNone) {
    Refuse(Cat(where, ", ", thing), "register ", reg, " is something else already");
  }
  uses[reg] = use;
  return reg;
}

uint16_t ProtocolCompiler::Variable(std::string_view thing, uint32_t index, size_t table) const {
  const uint16_t reg = Index(thing, "register", index, out.registers.size());
  if (uses[reg].role != RegisterUse::Role::kVariable || uses[reg].table != table) {
    Refuse(Cat(where, ", ", thing), "register ", reg, " is no variable of table ", table);
  }
  return reg;
}

uint16_t ProtocolCompiler::ExactExpression(std::string_view thing, uint32_t index) const {
  const uint16_t expression = Expression(thing, index);
  if (out.expressions[expression].bits > 127) {
    Refuse(Cat(where, ", ", thing), "expression ", index,
           " may need more than 127 bits; here its exact value is needed");
  }
  return expression;
}

std::vector<uint16_t> ProtocolCompiler::HeaderSizes() const {
  std::vector<uint16_t> sizes;
  for (const auto& header : out.headers) sizes.push_back(header.octets);
  return sizes;
}

void CheckTrailer(machine::HeaderKind kind, std::span<const machine::HeaderKind> before,
                  const ProtocolCompiler& compiler) {
  const size_t count = before.size();
  if (machine::TrailerBytes(kind) == 0) return;
  const auto is_bth = [](machine::HeaderKind other) { return other == machine::HeaderKind::kBth; };
  if (count > 1 && before[count - 1] == machine::HeaderKind::kUdp &&
      machine::IsIp(before[count - 2]) && std::ranges::none_of(before, is_bth)) {
    return;
  }
  Refuse(compiler.where, "header ", count, " of kind BTH: it is behind UDP in IPV4 or IPV6, once");
}

void CompileHeaders(ProtocolCompiler& compiler) {
  auto& out = compiler.out;
  compiler.Between("number of headers", static_cast<uint64_t>(compiler.in.headers_size()), 1,
                   machine::kMaxHeaders);
  std::vector<machine::HeaderKind> kinds;
  for (const auto& header : compiler.in.headers()) {
    const size_t index = out.headers.size();
    out.headers.push_back(CompileHeader(header, index, compiler));
    CheckTrailer(out.headers.back().kind, kinds, compiler);
    kinds.push_back(out.headers.back().kind);
    if (out.headers.back().kind == machine::HeaderKind::kTcp && out.tcp == machine::kNone) {
      out.tcp = static_cast<uint16_t>(index);
    }
  }
  CompileFlow(compiler);
}

void CompileRegisters(ProtocolCompiler& compiler) {
  compiler.AtMost("registers", static_cast<uint64_t>(compiler.in.registers_size()), kMaxRegisters);
  std::vector<bool> taken(kColdEnd);
  for (const auto& reg : compiler.in.registers()) {
    const std::string thing = Cat("register ", compiler.out.registers.size());
    const uint32_t offset = reg.offset();
    const uint32_t bits = reg.bits();
    const bool in_a_word = bits <= kWordBits - offset % kWordBits;
    const bool is_cold = offset >= kColdBegin;
    const uint32_t end = is_cold ? kColdEnd : machine::kLineBits;
    if (bits < 1 || bits > 128 || offset >= end || bits > end - offset ||
        !(in_a_word || (offset % kWordBits == 0 && bits > kWordBits))) {
      Refuse(
          compiler.where, thing, " has ", bits, " bits from bit ", offset,
          " on; allowed are 1 to 128 of bits 0 to 415 or 448 to 831, in a word of 64 or from the ",
          "beginning of one");
    }
    if (is_cold) {
      const size_t words = (offset + bits - kColdBegin + kWordBits - 1) / kWordBits;
      compiler.out.cold_word_count = std::max(compiler.out.cold_word_count, words);
    }
    for (uint32_t bit = offset; bit < offset + bits; ++bit) {
      if (taken[bit]) Refuse(compiler.where, thing, " shares bit ", bit, " with another one");
      taken[bit] = true;
    }
    compiler.out.registers.push_back(machine::Register::Of(offset, bits));
  }
  compiler.uses.resize(compiler.out.registers.size());
}

machine::Machine CompileProtocol(const v1::Protocol& protocol, std::string_view where) {
  ProtocolCompiler compiler{.in = protocol,
                            .where = Cat(where, ", protocol ", Quote(protocol.name()))};
  compiler.Between("bytes of the name", protocol.name().size(), 1, kMaxNameBytes);
  compiler.out.name = protocol.name();
  CompileHeaders(compiler);
  CompileRegisters(compiler);
  CompileExpressions(compiler);
  CompileTables(compiler);
  CompileSending(compiler);
  CompileRows(compiler);
  DecideRows(compiler.out);
  return std::move(compiler.out);
}

}  // namespace tester
