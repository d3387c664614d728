// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "base/rate.h"

#include "base/int128.h"
#include "base/saturate.h"

namespace tester {
namespace {

// The whole part of a * b / c, and whether a remainder is left. Most products fit 64 bits, where
// one instruction gives both.
struct Quotient {
  uint64_t whole;
  bool more;
};

Quotient MultiplyDivide(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return {product / c, product % c != 0};
  const Uint128 wide = Uint128{a} * b;
  const Uint128 whole = wide / c;
  return {Saturate(whole), wide != whole * c};
}

uint64_t MultiplyDivideUp(uint64_t a, uint64_t b, uint64_t c) {
  const Quotient quotient = MultiplyDivide(a, b, c);
  return AddSaturating(quotient.whole, quotient.more ? 1 : 0);
}

}  // namespace

uint64_t DueBy(const Rate& rate, uint64_t elapsed_ns) {
  return AddSaturating(MultiplyDivide(elapsed_ns, rate.packets, rate.nanoseconds).whole, 1);
}

uint64_t DueBefore(const Rate& rate, uint64_t elapsed_ns) {
  return MultiplyDivideUp(elapsed_ns, rate.packets, rate.nanoseconds);
}

uint64_t DueTime(const Rate& rate, uint64_t k) {
  return MultiplyDivideUp(k, rate.nanoseconds, rate.packets);
}

}  // namespace tester
