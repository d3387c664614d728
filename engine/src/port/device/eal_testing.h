// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// DPDK for tests, without hugepages and rights.
#pragma once

#include <rte_memory.h>
#include <sched.h>

#include <cstddef>
#include <vector>

#include "port/device/eal.h"

// Of ThreadSanitizer; null without it.
extern "C" [[gnu::weak]] void AnnotateBenignRaceSized(const char* file, int line,
                                                      const volatile void* memory, size_t bytes,
                                                      const char* why);

namespace tester {

// A CPU that this process may use, always the same one.
inline unsigned TestCpu() {
  static const auto cpu = static_cast<unsigned>(::sched_getcpu());
  return cpu;
}

// CPUs of two workers: that one, and another one where this process may use several.
inline const std::vector<unsigned>& TwoTestCpus() {
  static const std::vector<unsigned> cpus = [] {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    ::sched_getaffinity(0, sizeof allowed, &allowed);
    CPU_CLR(TestCpu(), &allowed);
    unsigned other = TestCpu();
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &allowed)) other = cpu;
    }
    return std::vector{TestCpu(), other};
  }();
  return cpus;
}

// DPDK's rings and pools hand buffers from one worker to another. ThreadSanitizer does not see
// that, since their libraries were built without it. Nothing in this memory is ours.
inline void TellOfBuffers() {
  if (AnnotateBenignRaceSized == nullptr) return;
  const auto tell = [](const rte_memseg_list* list, void* /*argument*/) {
    AnnotateBenignRaceSized(__FILE__, __LINE__, list->base_va, list->len, "buffers");
    return 0;
  };
  rte_memseg_list_walk(tell, nullptr);
}

// DPDK starts once in a process.
inline const Eal& StartEal() {
  static const Eal eal({.worker_cpus = TwoTestCpus(),
                        .control_cpus = {TestCpu()},
                        .memory_mb = 512,
                        .hugepages = false,
                        .pci_addresses = {}});
  static const bool told = (TellOfBuffers(), true);
  static_cast<void>(told);
  return eal;
}

}  // namespace tester
