// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/rate.h"

#include <algorithm>

namespace tester {
namespace {

__extension__ using Wide = unsigned __int128;

uint64_t Saturate(Wide value) { return static_cast<uint64_t>(std::min(value, Wide{UINT64_MAX})); }

// ceil(a * b / c)
uint64_t MultiplyDivideUp(uint64_t a, uint64_t b, uint64_t c) {
  const Wide product = Wide{a} * b;
  return Saturate(product / c + (product % c != 0 ? 1 : 0));
}

}  // namespace

uint64_t DueBy(const Rate& rate, uint64_t elapsed_ns) {
  return Saturate(Wide{elapsed_ns} * rate.packets / rate.nanoseconds + 1);
}

uint64_t DueBefore(const Rate& rate, uint64_t elapsed_ns) {
  return MultiplyDivideUp(elapsed_ns, rate.packets, rate.nanoseconds);
}

uint64_t DueTime(const Rate& rate, uint64_t k) {
  return MultiplyDivideUp(k, rate.nanoseconds, rate.packets);
}

}  // namespace tester
