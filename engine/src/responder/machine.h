// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A protocol as an engine runs it: flat arrays in which every index has been checked
// (plan/compile_protocol.h). protocol.proto says what each thing does.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "responder/number.h"

namespace tester::machine {

inline constexpr size_t kMaxHeaders = 16;
inline constexpr size_t kMaxKeyBytes = 36;
inline constexpr size_t kMaxTimers = 15;
inline constexpr size_t kMaxFrameBytes = 16'384;  // that a responder sends
inline constexpr uint32_t kMaxFollowing = 8;      // steps and scans of a row
inline constexpr uint16_t kNone = UINT16_MAX;
inline constexpr uint16_t kPacketEvent = 0;
inline constexpr uint16_t kStartEvent = 1;

enum class HeaderKind : uint8_t {
  kPlain,
  kEthernet,
  kIpv4,
  kIpv6,
  kUdp,
  kTcp,
  kIcmp,
  kIcmpv6,
  kGtpU
};

struct Announced {
  Place place;
  UnsignedWide value;
};

struct Header {
  HeaderKind kind;
  uint16_t octets;  // at fixed positions
  std::vector<Announced> announced;
};

struct FlowField {
  Place place;
  uint8_t key_offset;  // in the flow's key, of place.bits rounded up to bytes
  uint8_t opposite;

  size_t bytes() const { return (place.bits + 7U) / 8U; }
};

enum class Fact : uint8_t {
  kNow,
  kPayloadLength,
  kPayloadLeft,
  kFrameLength,
  kConsumed,
  kScanned,
  kMessageLength,
  kNowMs,
  kTcp,  // the first one of TcpFacts
};

// Of a segment; as long as facts of TCP are.
enum TcpFact : uint8_t {
  kFin,
  kSyn,
  kMss,
  kWscale,
  kHasWscale,
  kSackPermitted,
  kHasTimestamp,
  kTsVal,
  kTsEcr,
  kTcpFacts
};

struct Operand {
  // Fields of whole words are loaded at once.
  enum class Kind : uint8_t { kNumber, kRegister, kByte, kWord16, kWord32, kField, kFact };

  Kind kind = Kind::kNumber;
  uint8_t bits = 0;   // it needs at most
  uint8_t shift = 0;  // of the word that is loaded
  uint16_t byte = 0;  // in the header
  Register reg{};     // kRegister
  Place place{};      // of fields
  uint8_t fact = 0;   // kFact: a Fact, or Fact::kTcp + a TcpFact
  uint64_t mask = 0;  // of the word, shifted
  UnsignedWide number = 0;
};

enum class Operator : uint8_t { kAdd, kSubtract, kMultiply, kShiftLeft, kShiftRight, kAnd, kOr };

struct Term {
  Operator op;
  uint16_t operand;
};

struct Expression {
  uint32_t first;  // of the terms
  uint8_t terms;
  bool wide;     // needs more than 64 bits, sign included
  uint8_t bits;  // what it needs without sign; 128 for more than 127
};

enum class Relation : uint8_t {
  kIs,
  kNot,
  kBelow,
  kAtMost,
  kAbove,
  kAtLeast,
  kBefore,
  kNotAfter,
  kAfter,
  kNotBefore
};

struct Test {
  // kOperands: both sides are single operands of at most 64 bits; kNarrow: expressions of so many.
  enum class Kind : uint8_t { kOperands, kNarrow, kWide, kMask, kBegins };

  Kind kind;
  Relation relation{};
  uint8_t bits = 0;
  uint16_t left = 0;  // operand or expression; of kBegins the number of bytes
  uint16_t right = 0;
  uint64_t mask = 0;
  uint64_t value = 0;
  std::array<uint8_t, 64> octets{};  // kBegins
};

struct Row {
  uint32_t first_test;
  uint32_t first_action;
  uint16_t tests;
  uint16_t actions;
  uint16_t to;  // kNone: the same state
};

enum class ActionKind : uint8_t {
  kSet,
  kAdd,
  kSubtract,
  kLimit,
  kRaise,
  kRandomize,
  kReply,
  kSend,
  kTransmit,
  kStartTimer,
  kStopTimer,
  kCount,
  kRecord,
  kCall,
  kTell,
  kStep,
  kSkip,
  kLengthen,
  kScan,
  kTake,
  kSay
};

// What a, b and c are is said where they are done (runner.cc).
struct Action {
  ActionKind kind;
  uint8_t detail = 0;
  uint16_t a = 0;
  uint16_t b = 0;
  uint16_t c = 0;
};

struct Edit {
  Place place;
  uint16_t expression;
};

struct Reply {
  std::vector<Edit> edits;
  uint16_t keep = kNone;
  std::vector<uint8_t> append;
};

struct Transmit {
  uint16_t frame;
  uint16_t position;
  uint16_t end;
  std::vector<uint16_t> edges;
  uint16_t size;
  uint16_t most;
  uint16_t reached = kNone;
  uint16_t final = kNone;
  uint16_t closing = kNone;
};

enum class OptionKind : uint8_t { kMss, kWindowScale, kSackPermitted, kTimestamp, kSack };

struct Option {
  OptionKind kind;
  std::array<uint16_t, 2> values;  // expressions
  uint16_t only_if;                // register
};

struct FlowValue {
  Place place;
  uint8_t flow;
};

struct FrameHeader {
  HeaderKind kind;
  uint16_t offset;
  uint16_t octets;
};

struct FrameTemplate {
  std::vector<uint8_t> octets;  // headers and payload
  uint16_t header_bytes;
  uint16_t tcp = kNone;  // the header that options are of
  std::vector<FrameHeader> headers;
  std::vector<FlowValue> flow;
  std::vector<Edit> edits;
  std::vector<Option> options;
};

struct Part {
  std::vector<uint8_t> text;  // or else digits
  uint16_t operand = kNone;
  uint8_t digits = 0;
  uint8_t fill = 0;

  size_t bytes() const { return operand == kNone ? text.size() : digits; }
};

struct TableMessage {
  std::vector<Part> parts;
  uint32_t text_bytes;
  uint16_t body;  // an expression of registers and numbers
  uint32_t fill_bytes;
  std::vector<uint8_t> fill;  // so often that a frame can be filled from anywhere in its first run
};

struct Assignment {
  uint16_t reg;
  UnsignedWide value;
};

struct Find {
  std::vector<Assignment> set;
  uint16_t number = kNone;
};

struct Scanner {
  // Of a step: the state it leads to, and whether that one finds something.
  static constexpr uint16_t kStateMask = 0x7fff;
  static constexpr uint16_t kFinds = 0x8000;

  uint16_t reg;
  uint16_t most;
  uint16_t ended;
  uint16_t overlong;
  uint16_t classes;
  uint16_t ends;
  std::array<uint8_t, 256> class_of;
  std::vector<uint16_t> steps;
  std::vector<std::vector<uint8_t>> found;
  std::vector<Find> finds;
};

struct Cell {
  uint32_t first;
  uint16_t rows;
  uint16_t choice = kNone;
};

// Of a cell's rows those that can hold, by the value of an operand of at most 8 bits.
struct Choice {
  uint16_t operand;
  std::array<Cell, 256> cells;
};

struct Table {
  std::string name;
  uint16_t states;
  uint16_t events;
  uint16_t state = kNone;  // registers
  uint16_t message = kNone;
  uint16_t first_message = 0;
  std::vector<Cell> cells;
  std::vector<Choice> choices;
  std::vector<uint16_t> order;
  Words kept{};         // the bits that are of this table
  Words initial{};      // what they are in the first state
  uint16_t timers = 0;  // a bit for each of its timers
};

struct Timer {
  uint16_t reg;
  uint16_t event;
  uint8_t table;
};

struct Machine {
  std::string name;
  std::vector<Header> headers;
  std::vector<FlowField> flow;
  size_t key_bytes = 0;
  bool keeps_flows = false;
  uint16_t tcp = kNone;  // the header whose options are read
  std::vector<Register> registers;
  std::vector<Operand> operands;
  std::vector<Term> terms;
  std::vector<Expression> expressions;
  std::vector<Test> tests;
  std::vector<Action> actions;
  std::vector<Row> rows;
  std::vector<Table> tables;
  std::vector<Timer> timers;
  // Of all tables; an action names the one that it is about.
  std::vector<Reply> replies;
  std::vector<Transmit> transmits;
  std::vector<FrameTemplate> templates;
  std::vector<TableMessage> messages;
  std::vector<Scanner> scanners;
  std::vector<std::string> counters;  // "table.counter"
  std::vector<std::string> histograms;
  Words initial{};
  size_t aside_words = 0;
};

}  // namespace tester::machine
