// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// PAUSE frames at a port: whether they stop it, and how many the MAC has taken.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "port/kernel/settings.h"

namespace tester {

// Switches flow control off on a started NIC that a DPDK driver has.
FlowControl SwitchFlowControlOff(uint16_t device);

// A MAC consumes PAUSE frames; some drivers count them.
class PauseStatistics {
 public:
  PauseStatistics() = default;  // no MAC
  // Statistics of the kernel's driver of an interface, or else of DPDK's driver.
  PauseStatistics(uint16_t device, std::string interface);

  // Since the driver counts. Nothing where it does not.
  std::optional<uint64_t> Read() const;

 private:
  uint16_t device_ = 0;
  std::string interface_;
  std::vector<uint64_t> ids_;  // of the device's statistics
  bool counted_ = false;
};

}  // namespace tester
