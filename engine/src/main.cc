// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// testerd: reads the command line, opens its ports and serves until a signal or a client stops it.
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <map>
#include <optional>
#include <string>

#include "base/log.h"
#include "base/text.h"
#include "options.h"
#include "port/device/eal.h"
#include "port/kernel/leftovers.h"
#include "port/kernel/xdp.h"
#include "port/open.h"
#include "privileges.h"
#include "replay/files.h"
#include "rpc/metrics.h"
#include "rpc/server.h"
#include "rpc/service.h"
#include "rpc/watchdog.h"
#include "service_manager.h"
#include "snapshot/openmetrics.h"
#include "system_calls.h"
#include "tester/access/guard.h"
#include "tester/tester.h"
#include "version.h"

namespace tester {
namespace {

constexpr int kUsageStatus = 2;
constexpr time_t kCheckSeconds = 2;
constexpr const char* kUnreachable = "it no longer answers connections of its own to --listen";

// SIGHUP comes from the kernel when the parent, or only the parent's thread that started us, ends.
sigset_t StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, number);
  return set;
}

struct Ending {
  std::string by;  // what ended the process
  bool is_failure = false;
};

// Returns when the process has to end. The signals are blocked in all threads.
Ending ServeUntilToldToStop(const Options& options, pid_t parent, Tester& tester, Server& server,
                            const ServiceManager& manager) {
  Watchdog watchdog(server.Address());
  const sigset_t signals = StopSignals();
  const timespec interval{.tv_sec = kCheckSeconds, .tv_nsec = 0};
  for (;;) {
    const int number = ::sigtimedwait(&signals, nullptr, &interval);
    if (options.exit_with_parent && ::getppid() != parent) {
      Log(LogLevel::kInfo, "stopping", {{"reason", "the parent process has ended"}});
      return {.by = "the end of the process that started it"};
    }
    if (number == SIGTERM || number == SIGINT || (number == SIGHUP && !options.exit_with_parent)) {
      Log(LogLevel::kInfo, "stopping", {{"signal", int64_t{number}}});
      return {.by = Cat("signal ", number)};
    }
    tester.workers().Check();
    server.SetHealthy(tester.workers().Usable());
    if (!watchdog.Look()) {
      Log(LogLevel::kError, "stopping", {{"reason", kUnreachable}});
      return {.by = kUnreachable, .is_failure = true};
    }
    manager.Notify("WATCHDOG=1");
  }
}

// Ports are open, files were read, and the socket is there: the rest needs little.
void GiveUpRights(const Options& options) {
  if (!options.user.empty()) {
    const User user = FindUser(options.user);
    const std::string path = options.listen.SocketPath();
    if (!path.empty() && ::chown(path.c_str(), user.id, user.group) != 0) {
      throw Error(Code::kInternal, Cat("--user: ", path, ": ", std::strerror(errno)));
    }
    BecomeUser(user);
    // A change of the user clears it.
    if (options.exit_with_parent) ::prctl(PR_SET_PDEATHSIG, SIGHUP);
  }
  FilterSystemCalls();
}

void Serve(const Options& options, pid_t parent) {
  const ServiceManager manager;
  if (!options.user.empty()) FindUser(options.user);  // or refused, before anything is changed

  CheckInterfaces(options.ports, options.forced_interfaces);
  std::vector<std::string> pci_addresses;
  for (const auto& port : options.ports) {
    if (port.kind == PortKind::kPci) pci_addresses.push_back(port.argument);
  }
  const Eal eal({.worker_cpus = options.worker_cpus,
                 .control_cpus = options.control_cpus,
                 .memory_mb = options.memory_mb,
                 .hugepages = options.hugepages,
                 .pci_addresses = pci_addresses});
  Tester tester(
      OpenPorts(options.ports, options.queues),
      {.cpus = options.worker_cpus, .shares_cpu = options.control_cpus == options.worker_cpus},
      options.listen.IsRemote(), options.policy);
  if (options.listen.IsRemote() || !options.captures.empty()) LimitCaptureFiles(options.captures);
  const Guard guard(tester);
  Service service(
      tester, [] { ::kill(::getpid(), SIGTERM); },
      options.policy ? options.policy->clients : std::map<std::string, Role>{});
  Server server(options.listen, service);
  std::optional<MetricsServer> metrics;
  if (!options.metrics_address.empty()) {
    metrics.emplace(options.metrics_address,
                    [&] { return OpenMetrics(tester.TakeSnapshot({}, Client::Process())); });
  }
  GiveUpRights(options);
  Log(LogLevel::kInfo, "ready",
      {{"address", options.listen.address}, {"pid", int64_t{::getpid()}}, {"version", kVersion}});
  manager.Notify("READY=1");
  const Ending ending = ServeUntilToldToStop(options, parent, tester, server, manager);
  manager.Notify("STOPPING=1");
  // Nothing else that ends may keep traffic on.
  tester.End(ending.by);
  Log(LogLevel::kInfo, "traffic stopped");
  if (ending.is_failure) throw Error(Code::kInternal, ending.by);
}

int Restore() {
  QuietXdpLibraries();
  for (const auto& line : RestoreInterfaces()) {
    if (std::printf("%s\n", line.c_str()) < 0) return 1;
  }
  return 0;
}

int Main(int argc, char** argv) {
  const Options options = ParseOptions(argc, argv);
  if (options.action == Options::Action::kHelp) return std::fputs(kHelp, stdout) < 0 ? 1 : 0;
  if (options.action == Options::Action::kVersion) {
    return std::printf("testerd %s\n", kVersion) < 0 ? 1 : 0;
  }
  SetLogFormat(options.log_format);
  SetLogLevel(options.log_level);
  if (options.action == Options::Action::kRestore) return Restore();
  const pid_t parent = ::getppid();
  const sigset_t signals = StopSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // The reader of the log may end before this process; that is no reason to leave interfaces
  // changed.
  std::signal(SIGPIPE, SIG_IGN);
  if (options.exit_with_parent) ::prctl(PR_SET_PDEATHSIG, SIGHUP);
  // Nothing that it runs may get more rights than it has itself.
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  // AF_XDP locks its buffers; where this is not allowed the driver says so.
  const rlimit unlimited{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
  ::setrlimit(RLIMIT_MEMLOCK, &unlimited);
  rlimit descriptors{};
  ::getrlimit(RLIMIT_NOFILE, &descriptors);
  descriptors.rlim_cur = descriptors.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &descriptors);
  Serve(options, parent);
  Log(LogLevel::kInfo, "stopped");
  return 0;
}

}  // namespace
}  // namespace tester

int main(int argc, char** argv) {
  try {
    return tester::Main(argc, argv);
  } catch (const tester::Error& error) {
    std::fprintf(stderr, "testerd: %s\n", error.what());
    const bool usage =
        error.code() != tester::Code::kInternal && error.code() != tester::Code::kResourceExhausted;
    return usage ? tester::kUsageStatus : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "testerd: %s\n", error.what());
    return 1;
  }
}
