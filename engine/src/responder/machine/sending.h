// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The material of the frames that a responder sends.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "responder/machine/field_load.h"
#include "responder/machine/header.h"
#include "responder/machine/limits.h"
#include "responder/machine/number.h"

namespace tester::machine {

struct Edit {
  FieldPlace place;
  uint16_t expression;
  FieldLoad load{};  // where it is one operand

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
  FieldPlace place;
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
  // With `summed`: sums of the constant octets, in the IPv4 header and behind it. Folded.
  uint16_t ip_sum = 0;
  uint16_t tcp_sum = 0;
};

struct FrameTemplate {
  std::vector<uint8_t> octets;  // headers and payload
  uint16_t header_bytes;
  uint16_t tcp = kNone;  // the header that options are of
  // An expression: bytes that repeat (frame_writer.cc), behind those octets.
  uint16_t body = kNone;
  std::vector<FrameHeader> headers;
  std::vector<FlowValue> flow;
  std::vector<Edit> edits;
  std::vector<Option> options;
  std::vector<LaidTemplate> laid;  // a bit of the index for each option that is there
  // TCP over IPv4 in which words change, so that checksums come from their values, not from bytes
  // that have just been written.
  bool summed = false;
};

struct MessagePart {
  std::vector<uint8_t> text;  // or else digits
  uint16_t operand = kNone;
  uint8_t digits = 0;
  uint8_t fill = 0;

  size_t bytes() const { return operand == kNone ? text.size() : digits; }
};

struct TableMessage {
  std::vector<MessagePart> parts;
  uint32_t text_bytes;
  uint16_t body;  // an expression of registers and numbers
  uint32_t fill_bytes;
  std::vector<uint8_t> fill;        // Repeated
  std::vector<uint16_t> fill_sums;  // of the bytes before each, and of all, folded
};

// Repeated bytes, long enough for a frame behind each of them.
template <typename Octets>
std::vector<uint8_t> Repeated(const Octets& octets) {
  std::vector<uint8_t> repeated;
  while (repeated.size() < octets.size() + kMaxFrameBytes) {
    repeated.insert(repeated.end(), octets.begin(), octets.end());
  }
  return repeated;
}

// The expected bytes of a payload, repeated.
struct Content {
  uint32_t period = 0;
  std::vector<uint8_t> octets;  // Repeated
  uint16_t compared = 0;        // counters
  uint16_t changed = 0;
  uint16_t alike = kNone;  // register

  const uint8_t* From(int64_t place) const {
    const auto bytes = static_cast<int64_t>(period);
    return octets.data() + ((place % bytes) + bytes) % bytes;
  }
};

}  // namespace tester::machine
