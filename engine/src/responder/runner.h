// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Does what a table says on one event of one flow, and all that follows from it. The definition is
// TesterLibrary/protocols/interpreter.py.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "responder/context.h"
#include "responder/frame_writer.h"
#include "responder/narrow.h"
#include "responder/output.h"
#include "responder/responder_counters.h"

namespace tester::machine {

class Runner {
 public:
  // `failures`: for each counter whether it says of a flow that it has failed.
  Runner(const Machine& machine, std::vector<bool> failures, uint64_t seed, uint32_t most_bytes,
         ResponderCounters& counters);

  struct InHand {
    State state;
    const Identity* identity;
  };

  // The running timer that is due first, and when.
  struct Due {
    size_t timer = kMaxTimers;  // none
    uint32_t at_us = 0;
  };
  // What an event leaves: whether the flow goes on, and its first timer.
  struct Left {
    bool goes_on;
    Due due;
  };

  // An event of the lowest table or, of a timer, of any, and the timers that are due by it.
  Left Handle(const InHand& flow, size_t table, uint16_t event, Packet* packet, uint64_t now_us,
              Output& output);
  // A timer of a flow, which is due.
  Left Fire(const InHand& flow, size_t timer, uint64_t now_us, Output& output);

  Due FirstTimer(const State& state, uint32_t now_us) const;

 private:
  struct Told {
    uint8_t table;
    uint16_t event;
  };
  // What is to follow when a row is done.
  struct Following {
    std::array<uint16_t, kMaxFollowing> events;
    uint32_t count = 0;
    void Add(uint16_t event) {
      if (count < events.size()) events[count++] = event;
    }
  };

  void HandleOne(size_t table, uint16_t event);
  Left FireDue();
  void Dispatch(size_t table, uint16_t event);
  void Do(const Row& row, size_t table);
  void Act(const Action& action, size_t table, Following& following);
  void Assign(const Action& action, size_t table);
  void AssignWide(const Action& action, size_t table);
  void Randomize(const Register& reg);
  void StartTimer(const Action& action, size_t table);
  void Call(const Action& action, size_t table);
  void CallWithData(size_t table, uint16_t event);
  void Tell(size_t table, uint16_t event);
  void Scan(const Scanner& scanner, Following& following);
  void Take(const Register& reg);
  void Reset(size_t table);
  void Send(const FrameTemplate& frame, size_t table, const Piece& piece);
  void SendReply(const Reply& reply, size_t table);
  void SendAll(const Transmit& transmit, size_t table);
  void Count(const Action& action, size_t table);
  int64_t ValueOf(uint16_t expression, size_t table) const {
    const Expression& own = machine_.expressions[expression];
    return own.wide ? Clamped(own, context_, table) : NarrowValue(own, context_, table);
  }
  void Finished(size_t bytes);

  static constexpr uint32_t kMostRounds = 1000;  // of rows for one event
  static constexpr uint32_t kMostFires = 64;     // of timers of 0
  static constexpr size_t kMostTold = 32;

  const Machine& machine_;
  const std::vector<bool> failures_;
  const uint64_t seed_;
  const uint32_t most_bytes_;
  ResponderCounters& counters_;
  uint64_t draws_ = 0;
  std::array<Register, kMaxTimers> due_;  // when each timer is

  // Of the event in hand.
  Context context_;
  Output* output_ = nullptr;
  uint32_t rounds_ = 0;
  std::array<Told, kMostTold> told_;
  size_t told_count_ = 0;
};

}  // namespace tester::machine
