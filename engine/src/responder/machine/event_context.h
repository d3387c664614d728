// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The current event, and the effect of each action on flow, packet and counters. The interpreter
// calls this with values of the machine (runner.cc), compiled tables with constants
// (compiled_tables/compiled_rows.h). It is in a header so that the compiler folds the constants.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "responder/frame_writer.h"
#include "responder/machine/context.h"
#include "responder/machine/narrow.h"
#include "responder/machine/scan.h"
#include "responder/output.h"
#include "responder/responder_counters.h"

namespace tester::machine {

// How far one sequence number is after another; negative: before.
inline int64_t Ahead(uint64_t position, uint64_t of) {
  return static_cast<int32_t>(static_cast<uint32_t>(position - of));
}

// How far a transmit goes: the values of its expressions.
struct Reach {
  uint64_t end = 0;
  std::array<uint64_t, kMaxEdges> edges{};
  int64_t size = 0;
};

// Events that follow when a row is done.
struct Following {
  std::array<uint16_t, kMaxFollowing> events;
  uint32_t count = 0;

  // kNone: nothing.
  void Add(uint16_t event) {
    if (event != kNone && count < events.size()) events[count++] = event;
  }
};

struct EventContext {
  struct PendingEvent {
    uint8_t table;
    uint16_t event;
  };

  static constexpr uint32_t kMostRounds = 1000;  // of rows for one event
  static constexpr size_t kMaxPending = 32;
  static constexpr int64_t kLongestTimerUs = INT32_MAX;
  static constexpr size_t kLeastAlike = 8;  // bytes that tell a content

  const Machine& machine;
  const std::vector<bool>
      failures;  // for each counter whether it says of a flow that it has failed
  const uint64_t seed;
  const uint32_t most_bytes;  // of a frame
  ResponderCounters& counters;
  uint64_t draws = 0;

  Context context;
  Output* output = nullptr;
  uint32_t rounds = 0;
  std::array<PendingEvent, kMaxPending> pending{};
  size_t pending_count = 0;

  // False: this event has led to too many other rows, and is given up.
  bool Enters() { return ++rounds <= kMostRounds; }

  uint64_t StateOf(uint16_t state) const {
    return state == kNone ? 0 : machine.registers[state].Get(context.state);
  }

  // For numbers that are narrow.
  [[gnu::always_inline]] void Change(VariableChange change, const Register& reg,
                                     int64_t value) const {
    const State& words = context.state;
    const auto bits = static_cast<uint64_t>(value);
    if (change == VariableChange::kSet) return reg.Set(words, bits);
    const uint64_t now = reg.Get(words);
    // kLimit and kRaise compare numbers, and the value has its sign.
    const bool below = value < 0 || bits < now;
    if (change == VariableChange::kAdd) reg.Set(words, now + bits);
    if (change == VariableChange::kSubtract) reg.Set(words, now - bits);
    if (change == VariableChange::kLimit && below) reg.Set(words, bits);
    if (change == VariableChange::kRaise && !below) reg.Set(words, bits);
  }
  void ChangeWide(VariableChange change, const Register& reg, Int128 value) const;
  void Randomize(const Register& reg);

  // `due`: the register that has its time.
  [[gnu::always_inline]] void StartTimer(uint16_t timer, const Register& due, int64_t in_us) const {
    const int64_t most = std::clamp<int64_t>(in_us, 0, kLongestTimerUs);
    due.Set(context.state, context.facts[kNow] + static_cast<uint64_t>(most));
    kRunning.Set(context.state, kRunning.Get(context.state) | uint64_t{1} << timer);
  }
  void StopTimers(uint64_t timers) const {
    kRunning.Set(context.state, kRunning.Get(context.state) & ~timers);
  }

  [[gnu::always_inline]] void Count(uint16_t counter, uint64_t value) const {
    counters.counters[counter].Add(value);
    if (failures[counter]) kFailed.Set(context.state, 1);
  }
  [[gnu::always_inline]] void Record(uint16_t histogram, int64_t since) const {
    counters.histograms[histogram].Add(static_cast<uint32_t>(context.now_us) -
                                       static_cast<uint32_t>(since));
  }

  // `dispatch()` raises an event of the table above; with data repeatedly, while the table takes
  // some of it.
  template <typename Dispatch>
  void Call(bool data, Dispatch dispatch) {
    Packet* packet = context.packet;
    const uint32_t before = packet != nullptr ? packet->taken : 0;
    dispatch();
    if (packet == nullptr) {
      context.facts[kConsumed] = 0;
      return;
    }
    for (uint32_t last = before; data && packet->left() > 0 && packet->taken > last;) {
      if (rounds > kMostRounds) break;
      last = packet->taken;
      dispatch();
    }
    context.facts[kConsumed] = packet->taken - before;
  }
  // A call without a table above: takes all data.
  void CallNobody(bool data) {
    Packet* packet = context.packet;
    context.facts[kConsumed] = packet != nullptr && data ? packet->Take(packet->left()) : 0;
  }
  void Tell(size_t table, uint16_t event) {
    if (pending_count == pending.size()) {
      rounds = kMostRounds + 1;
      return;
    }
    pending[pending_count++] = {.table = static_cast<uint8_t>(table), .event = event};
  }
  void Say(size_t table, uint16_t message, uint16_t event) {
    machine.registers[machine.tables[table].message].Set(context.state, message);
    Tell(table - 1, event);
  }

  void Skip(int64_t octets) const {
    if (context.packet != nullptr) context.packet->Take(octets);
  }
  void Lengthen(int64_t octets) const {
    if (context.packet != nullptr) context.packet->Lengthen(octets);
  }
  void SetAhead(int64_t octets) const {
    if (context.packet == nullptr) return;
    context.packet->facts[kPayloadAhead] =
        static_cast<uint64_t>(std::clamp<int64_t>(octets, 0, UINT32_MAX));
  }
  void ReadName(const Register& reg, int64_t at) const;
  void Take(const Register& reg) const {
    if (context.packet == nullptr) return;
    const Uint128 wanted = reg.GetWide(context.state);
    const auto most = static_cast<int64_t>(std::min<Uint128>(wanted, INT64_MAX));
    reg.SetWide(context.state, wanted - context.packet->Take(most));
  }
  void KeepExample(uint16_t counter) const {
    if (context.packet == nullptr) return;
    counters.example.Keep({context.packet->frame, context.packet->payload}, counter);
  }
  void Verify(const Content& content, int64_t octets, int64_t from) const;
  // The event that follows from the scan; kNone: no event.
  uint16_t Scan(const Scanner& scanner);

  void Reset(size_t table) const;
  // `write(to)` writes a frame and says how long it is.
  template <typename Write>
  void SendWritten(Write write) {
    uint8_t* to = output->Begin();
    if (to == nullptr) {
      counters.not_sent.Add(1);
    } else if (const size_t bytes = write(to); bytes == 0) {
      counters.too_long.Add(1);
    } else {
      output->End(bytes);
    }
  }
  void Send(const FrameTemplate& frame, size_t table, const Piece& piece);
  void SendReply(const Reply& reply, size_t table);
  // `send_piece(piece)` sends a part of a message, `send_final()` the rest.
  template <typename SendPiece, typename SendFinal>
  void SendAll(const Transmit& transmit, size_t table, const Reach& reach, SendPiece send_piece,
               SendFinal send_final);
};

template <typename SendPiece, typename SendFinal>
void EventContext::SendAll(const Transmit& transmit, size_t table, const Reach& reach,
                           SendPiece send_piece, SendFinal send_final) {
  const State& words = context.state;
  const Register& position = machine.registers[transmit.position];
  const TableMessage* message = MessageOf(context, table + 1);
  const bool closing =
      transmit.closing != kNone && machine.registers[transmit.closing].GetWide(words) != 0;
  const auto length =
      message == nullptr ? 0 : static_cast<int64_t>(BytesOf(*message, context, table + 1));
  const uint64_t begin = reach.end - (closing ? 1 : 0) - static_cast<uint64_t>(length);
  int64_t ahead = Ahead(reach.end, position.Get(words));
  for (uint16_t i = 0; i < transmit.edge_count; ++i) {
    ahead = std::min(ahead, Ahead(reach.edges[i], position.Get(words)));
  }
  const int64_t size = std::max<int64_t>(1, reach.size);
  for (uint32_t i = 0; i < transmit.most && ahead > 0; ++i) {
    const int64_t offset = Ahead(position.Get(words), begin);
    if (offset < 0) break;
    int64_t count = std::min({size, ahead, length - offset});
    if (count > 0 && message != nullptr) {
      send_piece(Piece{.message = message,
                       .offset = static_cast<uint64_t>(offset),
                       .bytes = static_cast<uint32_t>(count)});
    } else {
      if (transmit.final == kNone) break;
      count = 1;
      send_final();
    }
    ahead -= count;
    position.Set(words, position.Get(words) + static_cast<uint64_t>(count));
  }
  if (transmit.reached == kNone) return;
  const Register& reached = machine.registers[transmit.reached];
  if (Ahead(position.Get(words), reached.Get(words)) > 0) {
    reached.Set(words, position.Get(words));
  }
}

}  // namespace tester::machine
