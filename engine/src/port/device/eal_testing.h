// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// DPDK for tests, without hugepages and rights.
#pragma once

#include <sched.h>

#include "port/device/eal.h"

namespace tester {

// A CPU that this process may use, always the same one.
inline unsigned TestCpu() {
  static const auto cpu = static_cast<unsigned>(::sched_getcpu());
  return cpu;
}

// DPDK starts once in a process.
inline const Eal& StartEal() {
  static const Eal eal({.worker_cpus = {TestCpu()},
                        .control_cpus = {TestCpu()},
                        .memory_mb = 512,
                        .hugepages = false,
                        .pci_addresses = {}});
  return eal;
}

}  // namespace tester
