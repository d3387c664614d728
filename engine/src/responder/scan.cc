// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/scan.h"

#include <algorithm>

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

// One byte more of a number, behind blanks.
uint32_t ReadNumber(const Machine& machine, const Scanner& scanner, uint32_t reading, uint8_t byte,
                    const State& state) {
  if (byte < '0' || byte > '9') {
    const bool blank = reading % 2 == 0 && (byte == ' ' || byte == '\t');
    return blank ? reading : 0;
  }
  const Register& reg = machine.registers[scanner.finds[reading / 2 - 1].number];
  const UnsignedWide most = MaskOf(reg.bits);
  const UnsignedWide before = reading % 2 != 0 ? reg.GetWide(state) : 0;
  const UnsignedWide digit = byte - uint32_t{'0'};
  const bool fits = before <= (most - std::min(digit, most)) / 10;
  reg.SetWide(state, fits ? before * 10 + digit : most);
  return reading | 1;
}

// Up to a state that finds something, or the end, while no number is being read. Returns the bytes.
uint32_t Run(const Scanner& scanner, Frame piece, uint32_t from, Progress& now) {
  const auto end = static_cast<uint32_t>(
      std::min<size_t>(piece.size(), from + size_t{scanner.most - now.count}));
  uint32_t at = from;
  uint32_t step = now.state;
  do {
    const uint32_t state = step & Scanner::kStateMask;
    step = scanner.steps[state * scanner.classes + scanner.class_of[piece[at]]];
  } while (++at < end && (step & Scanner::kFinds) == 0);
  now.state = step & Scanner::kStateMask;
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
          scanner.steps[now.state * size_t{scanner.classes} + scanner.class_of[piece[taken]]];
      now.state = step & Scanner::kStateMask;
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
