// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/turn.h"

#include "generator/random_numbers.h"

namespace tester::machine {

void Turn::ChangeWide(ActionKind kind, const Register& reg, Wide value) const {
  const State& words = context.state;
  const auto bits = static_cast<UnsignedWide>(value);
  const UnsignedWide now = reg.GetWide(words);
  const bool below = value < 0 || bits < now;
  switch (kind) {
    case ActionKind::kAdd:
      return reg.SetWide(words, now + bits);
    case ActionKind::kSubtract:
      return reg.SetWide(words, now - bits);
    case ActionKind::kLimit:
      return below ? reg.SetWide(words, bits) : void();
    case ActionKind::kRaise:
      return below ? void() : reg.SetWide(words, bits);
    default:
      return reg.SetWide(words, bits);
  }
}

void Turn::Randomize(const Register& reg) {
  UnsignedWide value = RandomNumber(seed, draws++);
  if (reg.bits > 64) value |= UnsignedWide{RandomNumber(seed, draws++)} << 64;
  reg.SetWide(context.state, value);
}

uint16_t Turn::Scan(const Scanner& scanner) {
  if (context.packet == nullptr) return kNone;
  Packet& packet = *context.packet;
  const Scanned scanned = ScanPiece(machine, scanner, packet.rest(), context.state);
  context.facts[kScanned] = packet.Take(scanned.taken);
  if (scanned.ended) return scanner.ended;
  return scanned.overlong ? scanner.overlong : kNone;
}

// The lowest table takes those above with it; what one above has said stays on its way.
void Turn::Reset(size_t table) const {
  const State& state = context.state;
  const size_t words = kLineWords + machine.aside_words;
  if (table == 0) {
    const uint64_t own = state[kOwnWord] & ~NarrowMask(kFailed.shift);
    for (size_t i = 0; i < words; ++i) state[i] = machine.initial[i];
    state[kOwnWord] |= own;
    return;
  }
  const Table& own = machine.tables[table];
  for (size_t i = 0; i < words; ++i) state[i] = (state[i] & ~own.kept[i]) | own.initial[i];
  StopTimers(own.timers);
}

void Turn::Send(const FrameTemplate& frame, size_t table, const Piece& piece) {
  SendWritten(
      [&](uint8_t* to) { return WriteTemplate(frame, context, table, piece, most_bytes, to); });
}

void Turn::SendReply(const Reply& reply, size_t table) {
  if (context.packet == nullptr) return;
  SendWritten([&](uint8_t* to) { return WriteReply(reply, context, table, most_bytes, to); });
}

}  // namespace tester::machine
