// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/machine/scan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace tester::machine {
namespace {

// The state between two pieces: the state of the scanner, the number that is being read, and the
// count of bytes.
struct ScanProgress {
  uint32_t state;
  uint32_t reading;  // 0: no number; else 1 + kPhases * the number's find + its phase
  uint32_t count;

  static constexpr uint32_t kStateBits = 10;
  static constexpr uint32_t kReadingBits = 7;

  static ScanProgress From(uint64_t kept) {
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

// The position in a number: blanks before it, its digits, blanks behind it.
enum Phase : uint32_t { kBefore, kDigits, kBehind, kPhases };

constexpr uint8_t kNoDigit = 255;

constexpr std::array<uint8_t, 256> kDigitOf = [] {
  std::array<uint8_t, 256> digits;
  digits.fill(kNoDigit);
  for (uint8_t i = 0; i < 10; ++i) digits['0' + i] = i;
  for (uint8_t i = 0; i < 6; ++i) {
    const auto digit = static_cast<uint8_t>(10 + i);
    digits['a' + i] = digit;
    digits['A' + i] = digit;
  }
  return digits;
}();

bool IsBlank(uint8_t byte) { return byte == ' ' || byte == '\t'; }

// Adds a digit, up to the greatest value. False: it did not fit.
bool AddDigit(const Register& reg, uint8_t base, bool is_first, uint8_t digit, const State& state) {
  if (reg.bits <= kQuickBits) {
    const uint64_t before = is_first ? 0 : reg.Get(state);
    const uint64_t value = before * base + digit;
    const uint64_t most = NarrowMask(reg.bits);
    reg.Set(state, std::min(value, most));
    return value <= most;
  }
  const Uint128 most = MaskOf(reg.bits);
  const Uint128 before = is_first ? 0 : reg.GetWide(state);
  const bool fits = before <= (most - std::min<Uint128>(digit, most)) / base;
  reg.SetWide(state, fits ? before * base + digit : most);
  return fits;
}

void SetAll(const Machine& machine, const std::vector<Assignment>& assignments,
            const State& state) {
  for (const Assignment& assignment : assignments)
    machine.registers[assignment.reg].SetWide(state, assignment.value);
}

void Add(const Register& reg, Uint128 more, const State& state) {
  if (reg.bits <= kQuickBits) {
    reg.Set(state, std::min(reg.Get(state) + static_cast<uint64_t>(more), NarrowMask(reg.bits)));
    return;
  }
  const Uint128 most = MaskOf(reg.bits);
  const Uint128 before = reg.GetWide(state);
  reg.SetWide(state, before > most - more ? most : before + more);
}

// Applies the assignments of a find. Returns the number to read from here on, or 0.
inline uint32_t Complete(const Machine& machine, const Scanner& scanner, uint32_t index,
                         const State& state) {
  const Find& find = scanner.finds[index];
  SetAll(machine, find.set, state);
  for (const Assignment& assignment : find.add)
    Add(machine.registers[assignment.reg], assignment.value, state);
  return find.number.reg == kNone ? 0 : 1 + kPhases * index + kBefore;
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
void SeekFind(const Scanner& scanner, Frame piece, Span& span, ScanProgress& now) {
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

// Advances while a number is being read, and one byte behind it.
void ReadNumber(const Machine& machine, const Scanner& scanner, Frame piece, Span& span,
                ScanProgress& now, const State& state) {
  const uint32_t index = (now.reading - 1) / kPhases;
  uint32_t phase = (now.reading - 1) % kPhases;
  const ScannedNumber& number = scanner.finds[index].number;
  const Register& reg = machine.registers[number.reg];
  const bool bounded = !number.before.empty();
  bool reads = true;
  uint32_t begin = scanner.BeginOf(now.state);
  for (uint32_t step = begin; step == begin && reads && span.at < span.end;) {
    const uint8_t byte = piece[span.at++];
    const uint8_t digit = kDigitOf[byte];
    if (digit < number.base && phase != kBehind) {
      if (!AddDigit(reg, number.base, phase == kBefore, digit, state)) [[unlikely]]
        SetAll(machine, number.otherwise, state);
      phase = kDigits;
    } else if (IsBlank(byte) && (phase != kDigits || bounded)) {
      if (phase == kDigits) phase = kBehind;
    } else {
      reads = false;
      const bool follows =
          !bounded || std::ranges::find(number.before, byte) != number.before.end();
      if (phase == kBefore || !follows) SetAll(machine, number.otherwise, state);
    }
    step = scanner.steps[begin + scanner.class_of[byte]];
    if ((step & Scanner::kFinds) == 0) step &= Scanner::kBegin;
    begin = step & Scanner::kBegin;
  }
  now.reading = reads ? 1 + kPhases * index + phase : 0;
  now.state = scanner.StateAt(begin);
}

}  // namespace

Scanned ScanPiece(const Machine& machine, const Scanner& scanner, Frame piece, const State& state) {
  const Register& kept = machine.registers[scanner.reg];
  ScanProgress now = ScanProgress::From(kept.Get(state));
  const uint32_t most = scanner.most - std::min<uint32_t>(now.count, scanner.most);
  Span span{.at = 0, .end = static_cast<uint32_t>(std::min<size_t>(piece.size(), most))};
  if (scanner.begin != kNone && now.count == 0 && span.end > 0)
    now.reading = Complete(machine, scanner, scanner.begin, state);
  while (span.at < span.end) {
    if (now.reading == 0) {
      SeekFind(scanner, piece, span, now);
    } else {
      ReadNumber(machine, scanner, piece, span, now, state);
    }
    for (const uint8_t index : scanner.found[now.state]) {
      const uint32_t reading = Complete(machine, scanner, index, state);
      if (reading != 0) now.reading = reading;
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
