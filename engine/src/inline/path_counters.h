// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Counters of a path since its start: the worker of its ports writes, any thread reads.
#pragma once

#include <array>

#include "base/counter.h"
#include "inline/path_plan.h"

namespace tester {

// By their names in counters.proto, for X(name).
#define TESTER_PATH_DIRECTION_COUNTERS(X) \
  X(received)                             \
  X(forwarded)                            \
  X(forwarded_bytes)                      \
  X(dropped)                              \
  X(duplicated)                           \
  X(unmatched)                            \
  X(lost)                                 \
  X(loss_drops)                           \
  X(tail_drops)                           \
  X(overflowed)                           \
  X(held)                                 \
  X(delayed)                              \
  X(worst_late_ns)                        \
  X(injected)

struct alignas(64) PathDirectionCounters {
  TESTER_PATH_DIRECTION_COUNTERS(TESTER_DECLARE_COUNTER)
};

using PathCounters = std::array<PathDirectionCounters, kPathDirections>;

}  // namespace tester
