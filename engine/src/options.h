// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The command line.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/log.h"
#include "policy/policy.h"
#include "port/spec.h"
#include "rpc/server.h"

namespace tester {

struct Options {
  enum class Action { kRun, kHelp, kVersion, kRestore };

  Action action = Action::kRun;
  ListenOptions listen;
  std::vector<PortSpec> ports;
  std::vector<unsigned> worker_cpus;
  uint16_t queues = 1;                 // of each port
  std::vector<unsigned> control_cpus;  // the workers' own where there are no others
  unsigned memory_mb = 0;
  bool hugepages = false;
  std::string metrics_address;  // empty: none
  std::string captures;         // where files that clients name may be; empty: anywhere, or nowhere
  std::shared_ptr<const Policy> policy;  // null: none
  std::string user;                      // to be from when the ports are open; empty: as now
  LogFormat log_format = LogFormat::kText;
  LogLevel log_level = LogLevel::kInfo;
  bool exit_with_parent = false;
  std::set<std::string> forced_interfaces;
};

// Throws Error INVALID_ARGUMENT.
Options ParseOptions(int argc, char** argv);

extern const char* const kHelp;

}  // namespace tester
