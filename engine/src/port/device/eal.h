// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// DPDK's environment: memory, lcores, devices.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tester {

struct EalOptions {
  std::vector<unsigned> worker_cpus;
  std::vector<unsigned> control_cpus;
  unsigned memory_mb;
  bool hugepages;
  std::vector<std::string> pci_addresses;
};

// Lcore 0 is the control thread, lcore i + 1 the worker on worker_cpus[i]. Throws Error; at most
// one in the life of a process.
class Eal {
 public:
  explicit Eal(const EalOptions& options);
  ~Eal();
  Eal(const Eal&) = delete;
  Eal& operator=(const Eal&) = delete;
};

// While it lives, complaints of DPDK are not logged as warnings: a device may be expected to fail
// to open, and the caller reports why it did.
class EalQuiet {
 public:
  EalQuiet();
  ~EalQuiet();
  EalQuiet(const EalQuiet&) = delete;
  EalQuiet& operator=(const EalQuiet&) = delete;
};

// Complaints of DPDK and its drivers since the last call, in one line.
std::string TakeEalComplaints();

}  // namespace tester
