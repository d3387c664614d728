// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The packets that have come back, by the numbers with which they were sent. It allocates when it
// is made.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tester {

class CameBack {
 public:
  // The count of remembered numbers, up to the highest one that came back.
  static constexpr uint64_t kRemembered = uint64_t{1} << 22;

  // `remembers`: false where nothing is asked.
  explicit CameBack(bool remembers) : words_(remembers ? kRemembered / kWordBits : 0) {}

  enum class Back : uint8_t {
    kFirst,
    kAgain,
    kForgotten  // too old to decide
  };
  // A packet comes back.
  Back Take(uint64_t number) {
    if (number >= next_) {
      Forget(number);
      next_ = number + 1;
    } else if (next_ - number > kRemembered) {
      return Back::kForgotten;
    }
    uint64_t& word = WordOf(number);
    const uint64_t bit = uint64_t{1} << number % kWordBits;
    const bool again = (word & bit) != 0;
    word |= bit;
    return again ? Back::kAgain : Back::kFirst;
  }

 private:
  static constexpr uint64_t kWordBits = 64;

  uint64_t& WordOf(uint64_t number) { return words_[number % kRemembered / kWordBits]; }
  // The places of those up to a new number, which older ones have had.
  void Forget(uint64_t number) {
    if (number - next_ >= kRemembered) {
      std::ranges::fill(words_, uint64_t{0});
      return;
    }
    for (uint64_t i = next_; i <= number; ++i) WordOf(i) &= ~(uint64_t{1} << i % kWordBits);
  }

  uint64_t next_ = 0;  // behind the highest number that has come back
  std::vector<uint64_t> words_;
};

}  // namespace tester
