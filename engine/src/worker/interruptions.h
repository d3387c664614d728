// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Interruptions of a worker, as the kernel counts them.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace tester {

struct Interruptions {
  uint64_t waited_ns = 0;    // ready to run, while something else had the CPU
  uint64_t preemptions = 0;  // the kernel took the CPU from it
  uint64_t steal_ns = 0;     // the hypervisor took the CPU from the machine

  // Reads the totals of a thread of this process and of its CPU. A total that the kernel does not
  // count is 0.
  static Interruptions Read(pid_t thread, unsigned cpu);
};

}  // namespace tester
