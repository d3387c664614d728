// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/scan.h"

#include <algorithm>
#include <bit>

namespace tester::machine {
namespace {

// Between two pieces: the state, what number is being read, and the bytes so far.
struct Progress {
  uint32_t state;
  uint32_t reading;  // 0: no number; else twice the number's find, plus 1 once it has digits
  uint32_t count;

  static constexpr uint32_t kStateBits = 10;
  static constexpr uint32_t kReadingBits = 7;

  static Progress From(uint64_t kept) {
    const auto bits = static_cast<uint32_t>(kept);
    return {.state = bits & ((1U << kStateBits) - 1),
            .reading = bits >> kStateBits & ((1U << kReadingBits) - 1),
            .count = bits >> (kStateBits + kReadingBits)};
  }
  uint64_t Kept() const {
    return state | reading << kStateBits | count << (kStateBits + kReadingBits);
  }
};

constexpr uint8_t kQuickBits = 60;  // of numbers that have room for a digit more in 64

// One byte more of a number, behind blanks.
uint32_t ReadNumber(const Machine& machine, const Scanner& scanner, uint32_t reading, uint8_t byte,
                    const State& state) {
  if (byte < '0' || byte > '9') {
    const bool blank = reading % 2 == 0 && (byte == ' ' || byte == '\t');
    return blank ? reading : 0;
  }
  const Register& reg = machine.registers[scanner.finds[reading / 2 - 1].number];
  if (reg.bits <= kQuickBits) {
    const uint64_t before = reading % 2 != 0 ? reg.Get(state) : 0;
    reg.Set(state, std::min(before * 10 + (byte - uint64_t{'0'}), NarrowMask(reg.bits)));
    return reading | 1;
  }
  const UnsignedWide most = MaskOf(reg.bits);
  const UnsignedWide before = reading % 2 != 0 ? reg.GetWide(state) : 0;
  const UnsignedWide digit = byte - uint32_t{'0'};
  const bool fits = before <= (most - std::min(digit, most)) / 10;
  reg.SetWide(state, fits ? before * 10 + digit : most);
  return reading | 1;
}

// A bit for each byte that is 0, its highest.
constexpr uint64_t Zeros(uint64_t bytes) {
  constexpr uint64_t kLow = 0x7f7f7f7f7f7f7f7f;
  return ~(((bytes & kLow) + kLow) | bytes | kLow);
}

// Past bytes that do not leave a state, eight at a time.
uint32_t PassResting(const Resting& resting, Frame piece, uint32_t at, uint32_t end) {
  for (; at + 8 <= end; at += 8) {
    const auto bytes = wire::Load<uint64_t>(&piece[at]);
    uint64_t leaving = 0;
    for (const uint64_t byte : resting.leaving) leaving |= Zeros(bytes ^ byte);
    if (leaving != 0) return at + static_cast<uint32_t>(std::countl_zero(leaving)) / 8;
  }
  return at;
}

// Up to a state that finds something, or the end, while no number is being read. Returns the bytes.
uint32_t Run(const Scanner& scanner, Frame piece, uint32_t from, Progress& now) {
  const auto end = static_cast<uint32_t>(
      std::min<size_t>(piece.size(), from + size_t{scanner.most - now.count}));
  uint32_t at = from;
  uint32_t begin = scanner.BeginOf(now.state);
  while (at < end) {
    const uint32_t step = scanner.steps[begin + scanner.class_of[piece[at++]]];
    const bool stays = step == begin;
    begin = step & ~Scanner::kFinds;
    if (begin != step) break;
    if (!stays) continue;
    const Resting& resting = scanner.resting[scanner.StateAt(begin)];
    if (resting.rests) at = PassResting(resting, piece, at, end);
  }
  now.state = scanner.StateAt(begin);
  return at - from;
}

}  // namespace

Scanned ScanPiece(const Machine& machine, const Scanner& scanner, Frame piece, const State& state) {
  const Register& kept = machine.registers[scanner.reg];
  Progress now = Progress::From(kept.Get(state));
  for (uint32_t taken = 0; taken < piece.size();) {
    if (now.count >= scanner.most) {
      kept.Set(state, 0);
      return {.taken = taken, .ended = false, .overlong = true};
    }
    uint32_t bytes = 1;
    if (now.reading == 0) {
      bytes = Run(scanner, piece, taken, now);
    } else {
      now.reading = ReadNumber(machine, scanner, now.reading, piece[taken], state);
      const uint32_t step =
          scanner.steps[scanner.BeginOf(now.state) + scanner.class_of[piece[taken]]];
      now.state = scanner.StateAt(step & ~Scanner::kFinds);
    }
    taken += bytes;
    now.count += bytes;
    for (const uint8_t index : scanner.found[now.state]) {
      const Find& find = scanner.finds[index];
      for (const Assignment& own : find.set) machine.registers[own.reg].SetWide(state, own.value);
      if (find.number != kNone) now.reading = 2 * (index + 1U);
      if (index >= scanner.ends) continue;
      kept.Set(state, 0);
      return {.taken = taken, .ended = true, .overlong = false};
    }
  }
  kept.Set(state, now.Kept());
  return {.taken = static_cast<uint32_t>(piece.size()), .ended = false, .overlong = false};
}

}  // namespace tester::machine
