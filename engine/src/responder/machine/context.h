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
  Packet* packet = nullptr;  // null: no packet
  uint64_t now_us = 0;
  std::array<uint64_t, kEventFacts> facts{};
  std::array<const uint8_t*, kFirstHeader + kMaxHeaders> bases{};

  // Sets the bases of loads: at the beginning, and after the packet is gone.
  void SetBases();
};

// `table`: the table of the row. Exact up to 128 bits; narrow.h has the version for 64 bits.
Int128 Value(const Expression& expression, const Context& context, size_t table);
// Clamped to the range of int64_t.
int64_t Clamped(const Expression& expression, const Context& context, size_t table);

// The lowest 64 bits of an operand that is more than a load.
uint64_t RareOf(const Operand& operand, const Context& context, size_t table);

bool Holds(const Test& test, const Context& context, size_t table);

// The length of the message that a table has said; 0 if it has said nothing.
uint64_t MessageBytes(const Context& context, size_t table);
uint64_t BytesOf(const TableMessage& message, const Context& context, size_t table);
// The message that the flow sends at present; null: none.
const TableMessage* MessageOf(const Context& context, size_t table);

// Writes bytes of a message from `offset` on. Returns their sum (wire::Sum).
uint64_t WriteMessage(const TableMessage& message, const Context& context, uint64_t offset,
                      uint32_t bytes, uint8_t* to);

}  // namespace tester::machine
