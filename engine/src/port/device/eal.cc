// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/device/eal.h"

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_log.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "port/kernel/xdp.h"

namespace tester {
namespace {

std::mutex complaints_mutex;
std::string complaints;
std::atomic<int> quiet{0};

LogLevel LevelOf(int dpdk_level) {
  if (quiet.load() != 0) return LogLevel::kDebug;
  if (dpdk_level <= static_cast<int>(RTE_LOG_ERR)) return LogLevel::kWarning;
  return dpdk_level <= static_cast<int>(RTE_LOG_WARNING) ? LogLevel::kInfo : LogLevel::kDebug;
}

// A line of DPDK's log.
ssize_t OnLog(void* /*cookie*/, const char* text, size_t bytes) {
  std::string_view line(text, bytes);
  while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) line.remove_suffix(1);
  if (line.empty()) return static_cast<ssize_t>(bytes);
  const int level = rte_log_cur_msg_loglevel();
  if (level <= static_cast<int>(RTE_LOG_ERR)) {
    const std::lock_guard lock(complaints_mutex);
    complaints += (complaints.empty() ? "" : "; ") + std::string(line);
  }
  Log(LevelOf(level), "dpdk", {{"text", std::string(line)}});
  return static_cast<ssize_t>(bytes);
}

std::string CpuList(const std::vector<unsigned>& cpus) { return Cat("(", Join(cpus), ")"); }

std::vector<std::string> Arguments(const EalOptions& options) {
  std::string lcores = "0@" + CpuList(options.control_cpus);
  for (size_t i = 0; i < options.worker_cpus.size(); ++i) {
    lcores += Cat(",", i + 1, "@", options.worker_cpus[i]);
  }
  std::erase(lcores, ' ');
  std::vector<std::string> arguments = {
      "testerd", "--lcores",       lcores, "--main-lcore",
      "0",       "--no-telemetry", "-m",   Cat(options.memory_mb)};
  // In both cases no other process shares memory with this one, and no file outlives it.
  if (options.hugepages) {
    arguments.emplace_back("--in-memory");
  } else {
    for (const char* argument : {"--no-huge", "--no-shconf", "--file-prefix=testerd"}) {
      arguments.emplace_back(argument);
    }
  }
  if (options.pci_addresses.empty()) arguments.emplace_back("--no-pci");
  for (const auto& address : options.pci_addresses) {
    arguments.emplace_back("-a");
    arguments.push_back(address);
  }
  return arguments;
}

}  // namespace

Eal::Eal(const EalOptions& options) {
  const EalQuiet quiet_start;
  QuietXdpLibraries();
  cookie_io_functions_t functions{};
  functions.write = OnLog;
  FILE* stream = ::fopencookie(nullptr, "w", functions);
  if (stream != nullptr) {
    ::setlinebuf(stream);
    rte_openlog_stream(stream);
  }
  std::vector<std::string> arguments = Arguments(options);
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  if (rte_eal_init(static_cast<int>(argv.size()), argv.data()) < 0) {
    throw Error(Code::kInternal, Cat("DPDK does not start (", rte_strerror(rte_errno), ") with ",
                                     Quote(Join(arguments)), ": ", TakeEalComplaints()));
  }
  // DPDK has made it and puts nothing into it; a process that is killed would leave it.
  static_cast<void>(::rmdir(rte_eal_get_runtime_dir()));
}

Eal::~Eal() { rte_eal_cleanup(); }

EalQuiet::EalQuiet() { ++quiet; }
EalQuiet::~EalQuiet() { --quiet; }

std::string TakeEalComplaints() {
  const std::lock_guard lock(complaints_mutex);
  return std::exchange(complaints, {});
}

}  // namespace tester
