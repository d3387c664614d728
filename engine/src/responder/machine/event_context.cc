// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/machine/event_context.h"

#include <algorithm>
#include <cstring>

#include "base/random_numbers.h"
#include "wire/domain_name.h"

namespace tester::machine {

void EventContext::ChangeWide(VariableChange change, const Register& reg, Int128 value) const {
  const State& words = context.state;
  const auto bits = static_cast<Uint128>(value);
  const Uint128 now = reg.GetWide(words);
  const bool below = value < 0 || bits < now;
  switch (change) {
    case VariableChange::kAdd:
      return reg.SetWide(words, now + bits);
    case VariableChange::kSubtract:
      return reg.SetWide(words, now - bits);
    case VariableChange::kLimit:
      return below ? reg.SetWide(words, bits) : void();
    case VariableChange::kRaise:
      return below ? void() : reg.SetWide(words, bits);
    default:
      return reg.SetWide(words, bits);
  }
}

void EventContext::Randomize(const Register& reg) {
  Uint128 value = RandomNumber(seed, draws++);
  if (reg.bits > 64) value |= Uint128{RandomNumber(seed, draws++)} << 64;
  reg.SetWide(context.state, value);
}

uint16_t EventContext::Scan(const Scanner& scanner) {
  if (context.packet == nullptr) return kNone;
  Packet& packet = *context.packet;
  const Scanned scanned = ScanPiece(machine, scanner, packet.rest(), context.state);
  context.facts[kScanned] = packet.Take(scanned.taken);
  if (scanned.ended) return scanner.ended;
  return scanned.overlong ? scanner.overlong : kNone;
}

void EventContext::Verify(const Content& content, int64_t octets, int64_t from) const {
  if (context.packet == nullptr) return;
  const Packet& packet = *context.packet;
  const Frame rest = packet.rest();
  const auto most = static_cast<int64_t>(rest.size());
  const auto bytes = static_cast<size_t>(std::clamp<int64_t>(octets, 0, most));
  const uint8_t* const right = content.From(from);
  size_t first = bytes;
  uint64_t changed = 0;
  const bool same = std::memcmp(rest.data(), right, bytes) == 0;
  for (size_t i = 0; !same && i < bytes; ++i) {
    if (rest[i] == right[i]) continue;
    first = std::min(first, i);
    ++changed;
  }
  if (content.alike != kNone) {
    if (bytes < kLeastAlike || 2 * changed > bytes) return;
    machine.registers[content.alike].Set(context.state, 1);
  }
  Count(content.compared, bytes);
  if (same) return;
  Count(content.changed, changed);
  counters.first_change.Keep({packet.frame, packet.payload},
                             {.place = static_cast<uint64_t>(from) + first,
                              .arrived = rest[first],
                              .expected = right[first]});
}

void EventContext::ReadName(const Register& reg, int64_t at) const {
  if (context.packet == nullptr) return;
  Packet& packet = *context.packet;
  const size_t begin = packet.headers[machine.headers.size() - 1];
  const size_t end = packet.payload + packet.payload_bytes - begin;
  const size_t least = packet.payload - begin;
  const size_t here = least + std::min(packet.taken, packet.payload_bytes);
  const size_t from = at == 0 ? here : static_cast<size_t>(std::clamp<int64_t>(at, 0, UINT16_MAX));
  const wire::DomainName name = wire::ReadDomainName({packet.frame + begin, end}, least, from);
  if (at == 0 && name.hash != 0) packet.Take(static_cast<int64_t>(name.bytes));
  reg.SetWide(context.state, name.hash);
}

// A reset of the lowest table resets those above. Messages said by the tables above are still sent.
void EventContext::Reset(size_t table) const {
  const State& state = context.state;
  const size_t words = kLineWords + machine.cold_word_count;
  if (table == 0) {
    const uint64_t reserved = state[kReservedWord] & ~NarrowMask(kFailed.shift);
    for (size_t i = 0; i < words; ++i) state[i] = machine.initial[i];
    state[kReservedWord] |= reserved;
    return;
  }
  const Table& definition = machine.tables[table];
  for (size_t i = 0; i < words; ++i)
    state[i] = (state[i] & ~definition.kept[i]) | definition.initial[i];
  StopTimers(definition.timers);
}

void EventContext::Send(const FrameTemplate& frame, size_t table, const Piece& piece) {
  SendWritten(
      [&](uint8_t* to) { return WriteTemplate(frame, context, table, piece, most_bytes, to); });
}

void EventContext::SendReply(const Reply& reply, size_t table) {
  if (context.packet == nullptr) return;
  SendWritten([&](uint8_t* to) { return WriteReply(reply, context, table, most_bytes, to); });
}

}  // namespace tester::machine
