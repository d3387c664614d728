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
                    Words& words) {
  if (byte < '0' || byte > '9') {
    const bool blank = reading % 2 == 0 && (byte == ' ' || byte == '\t');
    return blank ? reading : 0;
  }
  const Register& reg = machine.registers[scanner.finds[reading / 2 - 1].number];
  const UnsignedWide most = MaskOf(reg.bits);
  const UnsignedWide before = reading % 2 != 0 ? reg.GetWide(words) : 0;
  const UnsignedWide digit = byte - uint32_t{'0'};
  const bool fits = before <= (most - std::min(digit, most)) / 10;
  reg.SetWide(words, fits ? before * 10 + digit : most);
  return reading | 1;
}

}  // namespace

Scanned ScanPiece(const Machine& machine, const Scanner& scanner, Frame piece, Words& words) {
  const Register& kept = machine.registers[scanner.reg];
  Progress now = Progress::From(kept.Get(words));
  for (uint32_t taken = 0; taken < piece.size(); ++taken) {
    if (now.count >= scanner.most) {
      kept.Set(words, 0);
      return {.taken = taken, .ended = false, .overlong = true};
    }
    const uint8_t byte = piece[taken];
    if (now.reading != 0) now.reading = ReadNumber(machine, scanner, now.reading, byte, words);
    ++now.count;
    now.state = scanner.steps[now.state * size_t{scanner.classes} + scanner.class_of[byte]];
    for (const uint8_t index : scanner.found[now.state]) {
      const Find& find = scanner.finds[index];
      for (const Assignment& own : find.set) machine.registers[own.reg].SetWide(words, own.value);
      if (find.number != kNone) now.reading = 2 * (index + 1U);
      if (index >= scanner.ends) continue;
      kept.Set(words, 0);
      return {.taken = taken + 1, .ended = true, .overlong = false};
    }
  }
  kept.Set(words, now.Kept());
  return {.taken = static_cast<uint32_t>(piece.size()), .ended = false, .overlong = false};
}

}  // namespace tester::machine
