// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/scan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

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

bool IsDigit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

// A digit more; at most what fits.
void AddDigit(const Register& reg, bool is_first, uint8_t digit, const State& state) {
  if (reg.bits <= kQuickBits) {
    const uint64_t before = is_first ? 0 : reg.Get(state);
    reg.Set(state, std::min(before * 10 + digit, NarrowMask(reg.bits)));
    return;
  }
  const UnsignedWide most = MaskOf(reg.bits);
  const UnsignedWide before = is_first ? 0 : reg.GetWide(state);
  const bool fits = before <= (most - std::min<UnsignedWide>(digit, most)) / 10;
  reg.SetWide(state, fits ? before * 10 + digit : most);
}

// Sixteen bytes at a time, in registers of any machine.
using Block = uint8_t __attribute__((vector_size(16)));

// The first of sixteen bytes that leaves a state; 16: none.
uint32_t FirstLeaving(const Resting& resting, const uint8_t* at) {
  Block bytes;
  std::memcpy(&bytes, at, sizeof bytes);
  auto leaving = bytes == resting.leaving[0];
  for (size_t i = 1; i < resting.leaving.size(); ++i) leaving |= bytes == resting.leaving[i];
  std::array<uint64_t, 2> halves;
  std::memcpy(halves.data(), &leaving, sizeof halves);
  if ((halves[0] | halves[1]) == 0) return sizeof bytes;
  // The first byte is the lowest of a word, or the highest one.
  const auto first = [](uint64_t half) {
    return static_cast<uint32_t>(std::endian::native == std::endian::little
                                     ? std::countr_zero(half)
                                     : std::countl_zero(half)) /
           8;
  };
  return halves[0] != 0 ? first(halves[0]) : 8 + first(halves[1]);
}

// Past bytes that do not leave a state.
uint32_t PassResting(const Resting& resting, Frame piece, uint32_t at, uint32_t end) {
  while (at + sizeof(Block) <= end) {
    const uint32_t first = FirstLeaving(resting, &piece[at]);
    at += first;
    if (first < sizeof(Block)) break;
  }
  return at;
}

// The bytes that may still be taken, from one on.
struct Span {
  uint32_t at;
  uint32_t end;
};

// Up to a state that finds something, or the end, while no number is being read.
void Run(const Scanner& scanner, Frame piece, Span& span, Progress& now) {
  uint32_t begin = scanner.BeginOf(now.state);
  uint32_t at = span.at;
  while (at < span.end) {
    const uint32_t step = scanner.steps[begin + scanner.class_of[piece[at++]]];
    begin = step & Scanner::kBegin;
    if (begin == step) continue;
    if ((step & Scanner::kFinds) != 0) break;
    at = PassResting(scanner.resting[scanner.StateAt(begin)], piece, at, span.end);
  }
  span.at = at;
  now.state = scanner.StateAt(begin);
}

// The same while a number is being read: blanks, then digits, and one byte behind them.
void ReadNumber(const Machine& machine, const Scanner& scanner, Frame piece, Span& span,
                Progress& now, const State& state) {
  const Register& reg = machine.registers[scanner.finds[now.reading / 2 - 1].number];
  uint32_t begin = scanner.BeginOf(now.state);
  for (uint32_t step = begin; step == begin && now.reading != 0 && span.at < span.end;) {
    const uint8_t byte = piece[span.at++];
    if (IsDigit(byte)) {
      AddDigit(reg, now.reading % 2 == 0, static_cast<uint8_t>(byte - '0'), state);
      now.reading |= 1;
    } else if (now.reading % 2 != 0 || (byte != ' ' && byte != '\t')) {
      now.reading = 0;
    }
    step = scanner.steps[begin + scanner.class_of[byte]];
    if ((step & Scanner::kFinds) == 0) step &= Scanner::kBegin;
    begin = step & Scanner::kBegin;
  }
  now.state = scanner.StateAt(begin);
}

}  // namespace

Scanned ScanPiece(const Machine& machine, const Scanner& scanner, Frame piece, const State& state) {
  const Register& kept = machine.registers[scanner.reg];
  Progress now = Progress::From(kept.Get(state));
  const uint32_t most = scanner.most - std::min<uint32_t>(now.count, scanner.most);
  Span span{.at = 0, .end = static_cast<uint32_t>(std::min<size_t>(piece.size(), most))};
  while (span.at < span.end) {
    if (now.reading == 0) {
      Run(scanner, piece, span, now);
    } else {
      ReadNumber(machine, scanner, piece, span, now, state);
    }
    for (const uint8_t index : scanner.found[now.state]) {
      const Find& find = scanner.finds[index];
      for (const Assignment& assignment : find.set)
        machine.registers[assignment.reg].SetWide(state, assignment.value);
      if (find.number != kNone) now.reading = 2 * (index + 1U);
      if (index >= scanner.ends) continue;
      kept.Set(state, 0);
      return {.taken = span.at, .ended = true, .overlong = false};
    }
  }
  if (span.end < piece.size()) {
    kept.Set(state, 0);
    return {.taken = span.end, .ended = false, .overlong = true};
  }
  now.count += span.end;
  kept.Set(state, now.Kept());
  return {.taken = span.end, .ended = false, .overlong = false};
}

}  // namespace tester::machine
