// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// An exact virtual clock: the k-th frame (k = 0, 1, ...) is due k * nanoseconds / packets after the
// start. No rounding adds up, because nothing is ever added up.
#pragma once

#include <cstdint>

namespace tester {

struct Rate {
  uint64_t packets = 1;
  uint64_t nanoseconds = 1;

  bool operator==(const Rate&) const = default;
};

// How many frames are due in [0, elapsed_ns]. Saturates.
uint64_t DueBy(const Rate& rate, uint64_t elapsed_ns);

// How many frames are due in [0, elapsed_ns). Saturates.
uint64_t DueBefore(const Rate& rate, uint64_t elapsed_ns);

// The first whole nanosecond at which frame k is due. Saturates.
uint64_t DueTime(const Rate& rate, uint64_t k);

}  // namespace tester
