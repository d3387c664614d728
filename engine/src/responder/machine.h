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
#include "responder/spot.h"

namespace tester::machine {

inline constexpr size_t kMaxHeaders = 16;
inline constexpr size_t kMaxKeyBytes = 36;
inline constexpr size_t kMaxTimers = 15;
inline constexpr size_t kMaxFrameBytes = 16'384;  // that a responder sends
inline constexpr uint32_t kMaxFollowing = 8;      // steps and scans of a row
inline constexpr size_t kMaxEdges = 8;            // of what is transmitted
inline constexpr size_t kMaxTables = 4;
inline constexpr uint8_t kNarrowBits = 63;  // of a number that fits with its sign
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
  Spot spot;
  uint64_t value;
};

// Of more bits than a load has.
struct AnnouncedWide {
  Place place;
  UnsignedWide value;
};

struct Header {
  HeaderKind kind;
  uint16_t octets;  // at fixed positions
  std::vector<Announced> announced;
  std::vector<AnnouncedWide> wide;
};

struct FlowField {
  Place place;
  uint8_t key_offset;  // in the flow's key, of place.bits rounded up to bytes
  uint8_t opposite;

  size_t bytes() const { return (place.bits + 7U) / 8U; }
};

// Fields of a flow that are beside each other in a header and in the key, of whole bytes.
struct KeyRun {
  uint8_t header;
  uint8_t key_offset;
  uint16_t first;  // byte of the header
  uint16_t bytes;
};

// Of an event.
enum Fact : uint8_t { kNow, kNowMs, kConsumed, kScanned, kEventFacts };

// Of the packet in hand.
enum PacketFact : uint8_t {
  kPayloadLength,
  kPayloadLeft,
  kFrameLength,  // without padding that a length tells apart
  kFin,          // of TCP, as all behind it
  kSyn,
  kMss,
  kWscale,
  kHasWscale,
  kSackPermitted,
  kHasTimestamp,
  kTsVal,
  kTsEcr,
  kPacketFactCount
};
using PacketFacts = std::array<uint64_t, kPacketFactCount>;

struct Operand {
  enum class Kind : uint8_t { kNumber, kRegister, kField, kFact };

  Kind kind = Kind::kNumber;
  uint8_t bits = 0;  // it needs at most
  Register reg{};    // kRegister
  Place place{};     // kField
  UnsignedWide number = 0;
  Spot spot{};  // not of more than 64 bits, nor of the length of a message
};

enum class Operator : uint8_t { kAdd, kSubtract, kMultiply, kShiftLeft, kShiftRight, kAnd, kOr };

struct Term {
  Operator op;
  uint16_t operand;
  Spot spot;

  bool operator==(const Term&) const = default;
};

struct Expression {
  uint32_t first;  // of the terms
  uint8_t terms;
  bool wide;     // needs more than 64 bits, sign included
  uint8_t bits;  // what it needs without sign; 128 for more than 127

  bool operator==(const Expression&) const = default;
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

// How two numbers are to each other, and so each relation between them holds or does not.
enum Outcome : uint8_t { kSame, kHigher, kHigherBefore, kLower, kLowerBefore, kOutcomes };
inline constexpr uint32_t kAllOutcomes = (1U << kOutcomes) - 1;

// One question on the way to a row.
struct Decision {
  // kPair: two operands; kValues: two narrow expressions; kMask: bits of an operand; kTest: any
  // test; kChoice: the value of an operand of at most 8 bits.
  enum class Kind : uint8_t { kPair, kValues, kMask, kTest, kChoice };
  // Of what is next: a row, or that there is none.
  static constexpr uint32_t kRow = uint32_t{1} << 31;
  static constexpr uint32_t kNoRow = UINT32_MAX;
  static constexpr uint32_t kUndecided = UINT32_MAX - 1;  // all rows are to be tried

  Kind kind;
  uint16_t left = 0;  // expression; kTest: test; kChoice: which one
  uint16_t right = 0;
  Spot first{};
  Spot second{};
  uint64_t mask = 0;
  uint64_t value = 0;
  std::array<uint32_t, kOutcomes> next{};  // by outcome, or no and yes

  bool operator==(const Decision&) const = default;
};

struct Row {
  uint32_t first_test;
  uint32_t first_action;
  uint16_t tests;
  uint16_t actions;
  uint16_t to;  // kNone: the same state

  bool operator==(const Row&) const = default;
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

// What a, b and c are is said where they are read (runner.cc).
struct Action {
  ActionKind kind;
  uint8_t detail = 0;
  uint16_t a = 0;
  uint16_t b = 0;
  uint16_t c = 0;
  Register reg{};  // of a change, or of a timer
  Spot spot{};     // of a change by one operand

  bool operator==(const Action&) const = default;
};

struct Edit {
  Place place;
  uint16_t expression;
  Spot spot{};  // where it is one operand

  bool operator==(const Edit&) const = default;
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
  std::array<uint16_t, kMaxEdges> edges{};
  uint16_t edge_count = 0;
  uint16_t size;
  uint16_t most;
  uint16_t reached = kNone;
  uint16_t final = kNone;
  uint16_t closing = kNone;

  bool operator==(const Transmit&) const = default;
};

enum class OptionKind : uint8_t { kMss, kWindowScale, kSackPermitted, kTimestamp, kSack };

struct Option {
  OptionKind kind;
  std::array<uint16_t, 2> values;  // expressions
  uint16_t only_if;                // register

  bool operator==(const Option&) const = default;
};

struct FlowValue {
  Place place;
  uint8_t flow;
};

struct FrameHeader {
  HeaderKind kind;
  uint16_t offset;
  uint16_t octets;
  uint16_t ip = kNone;  // the header that carries it
};

// A template with some of its options.
struct LaidTemplate {
  std::vector<uint8_t> octets;       // options without their values
  std::vector<FrameHeader> headers;  // with options
  std::vector<uint16_t> options;     // where each begins; kNone: it is not there
  // Where `summed`: of the octets that do not change, of IPv4's header and of what its checksum is
  // not over. Folded.
  uint16_t ip_sum = 0;
  uint16_t tcp_sum = 0;
};

struct FrameTemplate {
  std::vector<uint8_t> octets;  // headers and payload
  uint16_t header_bytes;
  uint16_t tcp = kNone;  // the header that options are of
  std::vector<FrameHeader> headers;
  std::vector<FlowValue> flow;
  std::vector<Edit> edits;
  std::vector<Option> options;
  std::vector<LaidTemplate> laid;  // a bit of the index for each option that is there
  // TCP over IPv4 in which words change, so that checksums come from their values, not from bytes
  // that have just been written.
  bool summed = false;
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
  std::vector<uint16_t> fill_sums;  // of the bytes before each, and of all, folded
};

struct Assignment {
  uint16_t reg;
  UnsignedWide value;
};

struct Find {
  std::vector<Assignment> set;
  uint16_t number = kNone;
};

// A state that all bytes but a few lead back to.
struct Resting {
  static constexpr size_t kMostBytes = 3;

  bool rests = false;
  std::array<uint8_t, kMostBytes> leaving{};  // the last one again and again
};

struct Scanner {
  // Of a step: where the steps of the state begin that it leads to, and whether that one finds
  // something, or rests.
  static constexpr uint32_t kFinds = uint32_t{1} << 31;
  static constexpr uint32_t kRests = uint32_t{1} << 30;
  static constexpr uint32_t kBegin = kRests - 1;

  uint32_t BeginOf(uint32_t state) const { return state << shift; }
  uint32_t StateAt(uint32_t begin) const { return begin >> shift; }

  uint16_t reg;
  uint16_t most;
  uint16_t ended;
  uint16_t overlong;
  uint8_t shift;  // of as many steps for each state, a power of 2
  uint16_t ends;
  std::array<uint8_t, 256> class_of;
  std::vector<uint32_t> steps;
  std::vector<Resting> resting;  // by state
  std::vector<std::vector<uint8_t>> found;
  std::vector<Find> finds;
};

struct Cell {
  uint32_t first;
  uint16_t rows;
  uint32_t decision = Decision::kUndecided;  // with which the way to its row begins

  bool operator==(const Cell&) const = default;
};

// What is next, by a value.
using Choice = std::array<uint32_t, 256>;

struct Table {
  std::string name;
  uint16_t states;
  uint16_t events;
  uint16_t state = kNone;  // registers
  uint16_t message = kNone;
  uint16_t first_message = 0;
  std::vector<Cell> cells;
  std::vector<uint16_t> order;
  Words kept{};         // the bits that are of this table
  Words initial{};      // what they are in the first state
  uint16_t timers = 0;  // a bit for each of its timers
};

struct Timer {
  uint16_t reg;
  uint16_t event;
  uint8_t table;

  bool operator==(const Timer&) const = default;
};

struct Machine {
  std::string name;
  std::vector<Header> headers;
  std::vector<FlowField> flow;
  std::vector<KeyRun> key_runs;  // none where a field is not of whole bytes
  size_t key_bytes = 0;
  bool keeps_flows = false;
  uint16_t tcp = kNone;  // the header whose options are read
  std::vector<Register> registers;
  std::vector<Operand> operands;
  std::vector<Term> terms;
  std::vector<Expression> expressions;
  std::vector<uint64_t> numbers;  // that operands are
  std::vector<Test> tests;
  std::vector<Decision> decisions;
  std::vector<Choice> choices;
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
