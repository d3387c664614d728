// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A protocol as the engine runs it: flat arrays with checked indexes
// (plan/protocol/compile_protocol.h). protocol.proto documents the elements.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "responder/machine/expression.h"
#include "responder/machine/header.h"
#include "responder/machine/limits.h"
#include "responder/machine/number.h"
#include "responder/machine/row.h"
#include "responder/machine/scanner.h"
#include "responder/machine/sending.h"

namespace tester::machine {

struct Cell {
  uint32_t first;
  uint16_t rows;
  uint32_t decision = Decision::kUndecided;  // with which the way to its row begins

  bool operator==(const Cell&) const = default;
};

// The next decision for each value.
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
  uint16_t tcp = kNone;  // the header with the options
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
  // Shared by all tables; an action names its own one.
  std::vector<Reply> replies;
  std::vector<Transmit> transmits;
  std::vector<FrameTemplate> templates;
  std::vector<TableMessage> messages;
  std::vector<Content> contents;
  std::vector<Scanner> scanners;
  std::vector<std::string> counters;  // "table.counter"
  std::vector<std::string> histograms;
  Words initial{};
  size_t cold_word_count = 0;
};

}  // namespace tester::machine
