// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The values that a row reads: the flow, the packet in hand, the time; expressions and tests.
#pragma once

#include <array>
#include <cstdint>

#include "responder/flows/flow.h"
#include "responder/machine/machine.h"
#include "responder/packet.h"

namespace tester::machine {

struct Context {
  const Machine* machine;
  State state{};
  const Identity* identity = nullptr;
  Packet* packet = nullptr;  // null: there is none
  uint64_t now_us = 0;
  std::array<uint64_t, kEventFacts> facts{};
  std::array<const uint8_t*, kFirstHeader + kMaxHeaders> bases{};

  // Values are read from what is in hand: at the beginning, and where there is no packet any more.
  void SetBases();
};

// `table`: the one whose row it is. Exact as far as 128 bits go; narrow.h has what is narrower.
Wide Value(const Expression& expression, const Context& context, size_t table);
// At most that of an int64_t, and at least.
int64_t Clamped(const Expression& expression, const Context& context, size_t table);

// The lowest 64 bits of an operand that is more than a load.
uint64_t RareOf(const Operand& operand, const Context& context, size_t table);

bool Holds(const Test& test, const Context& context, size_t table);

// The length of the message that a table has said; 0 if it has said nothing.
uint64_t MessageBytes(const Context& context, size_t table);
uint64_t BytesOf(const TableMessage& message, const Context& context, size_t table);
// Which message of the machine that is; null: none.
const TableMessage* MessageOf(const Context& context, size_t table);

// Writes bytes of a message from `offset` on. Returns their sum (wire::Sum).
uint64_t WriteMessage(const TableMessage& message, const Context& context, uint64_t offset,
                      uint32_t bytes, uint8_t* to);

}  // namespace tester::machine
