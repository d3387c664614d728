// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Tables as code. The build generates it from the plans of the shipped protocols
// (compiled_tables/generate_main.cc).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "responder/machine/machine.h"

namespace tester::machine {

struct EventContext;

// The compiled part of a machine: everything that leads to rows and all that rows do, without the
// values of a job (numbers, octets, texts).
struct Shape {
  struct Table {
    uint16_t events;
    uint16_t state;
    std::span<const uint32_t> decisions;  // of each cell

    bool Fits(const machine::Table& table) const;
  };

  // A template whose checksums are summed up from its values. Other templates only have `summed`
  // false.
  struct Template {
    // A field of the flow: where it is in the frame and in the key.
    struct KeyWord {
      uint16_t at;
      uint8_t bits;
      uint8_t key_offset;
      bool address;  // of IPv4, or else of TCP

      bool operator==(const KeyWord&) const = default;
    };

    bool summed;
    uint16_t ip;  // where these headers begin
    uint16_t tcp;
    std::span<const KeyWord> flow;
    std::span<const Edit> edits;
    std::span<const Option> options;

    bool Fits(const FrameTemplate& frame, const Machine& machine) const;
  };

  std::span<const Register> registers;
  std::span<const Term> terms;
  std::span<const Expression> expressions;
  std::span<const Decision> decisions;
  std::span<const Row> rows;
  std::span<const Action> actions;
  std::span<const Transmit> transmits;
  std::span<const Template> templates;
  std::span<const Table> tables;

  // Whether the machine has it.
  bool Fits(const Machine& machine) const;
};

// The words of the flow in a template that is summed.
std::vector<Shape::Template::KeyWord> KeyWordsOf(const FrameTemplate& frame,
                                                 const Machine& machine);

struct CompiledTable {
  using Dispatch = void (*)(EventContext& event_context, uint16_t event);

  std::string_view name;  // of the table's file
  const Shape& shape;
  std::array<Dispatch, kMaxTables> dispatch;
};

}  // namespace tester::machine
