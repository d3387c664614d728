// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "options.h"

#include <getopt.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string_view>

#include "base/error.h"
#include "base/text.h"

namespace tester {

const char* const kHelp =
    R"(Usage: testerd --listen ADDRESS --port NAME=SPEC [--port NAME=SPEC ...] [options]

Generates and measures traffic as its clients tell it over gRPC (proto/tester/v1/control.proto).

  --listen unix:/PATH          a UNIX socket, for the user who starts testerd only
  --listen grpc+tls:HOST:PORT  TCP; clients need a certificate. With it, all of:
    --tls-cert FILE            certificate chain of this server (PEM)
    --tls-key FILE             its private key (PEM)
    --tls-client-ca FILE       who signs the certificates of clients (PEM)
    --allow NAME               only clients with this name in their certificate; can be repeated

  --port NAME=SPEC             a port, called NAME by jobs; can be repeated. SPEC is one of
    iface:IFACE                a network interface: AF_XDP, or AF_PACKET where there is no AF_XDP
    af_xdp:IFACE               the same, AF_XDP or nothing
    af_packet:IFACE            the same, AF_PACKET
    pci:DDDD:BB:DD.F           a NIC that is bound to a driver of DPDK
    vdev:DRIVER[,ARGS]         any virtual device of DPDK, such as vdev:net_null0,size=64
    loop:TAG                   two ports of one TAG are connected to each other, in this process;
                               a single one to itself
    delay:TAG,NS[-NS]          the same, but a frame arrives so many nanoseconds after it was sent
                               to the other one, or a random time between two
  --force-interface IFACE      take IFACE even if it has an address or a default route;
                               can be repeated

  --cpu N[,N...]               CPUs of the workers, one worker each, at most as many as the queues of all
                               ports: a queue is served by one worker; default: the last one allowed.
                               Everything else runs on the other CPUs, where there are others
  --queues N                   receive queues, and as many send queues, of each port; default: 1.
                               Several workers can serve a port with several
  --memory MB                  memory for buffers; default: enough for the ports
  --hugepages                  take that memory from hugepages

  --captures FOLDER            open files to be replayed below FOLDER only; default: anywhere over a
                               UNIX socket, nowhere over TCP

  --policy FILE                what clients may do, whatever they ask for: addresses and rates that may be
                               sent, and who may observe, run and administer (engine/README.md)
  --user USER                  be this user once ports are open, with no more rights than it takes to put
                               interfaces back

  --metrics ADDRESS:PORT       counters for Prometheus, at http://ADDRESS:PORT/metrics

  --log text|json              default: text on a terminal, JSON lines otherwise
  --verbose                    log what is of interest for debugging
  --exit-with-parent           stop when the process that started testerd ends
  --restore                    serve nobody: put back what testers that were killed have changed of
                               the interfaces of this network namespace, and say so
  --version, --help

Stops in good order on SIGTERM and SIGINT. Exit status: 0 stopped, 1 failed, 2 wrong usage.
)";

namespace {

constexpr unsigned kBaseMemoryMb = 64;
constexpr unsigned kQueueMemoryMb = 48;
constexpr unsigned kMostQueues = 16;  // of net_af_packet

[[noreturn]] void Refuse(const std::string& message) {
  throw Error(Code::kInvalidArgument, message);
}

unsigned ParseNumber(std::string_view text, std::string_view option) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    Refuse(Cat(option, " ", Quote(text), " is not a number"));
  }
  return value;
}

std::vector<unsigned> AllowedCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  ::sched_getaffinity(0, sizeof set, &set);
  std::vector<unsigned> cpus;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

bool Contains(const std::vector<unsigned>& list, unsigned value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::vector<unsigned> ParseCpus(std::string_view text) {
  const std::vector<unsigned> allowed = AllowedCpus();
  std::vector<unsigned> cpus;
  for (;;) {
    const size_t comma = text.find(',');
    const unsigned cpu = ParseNumber(text.substr(0, comma), "--cpu");
    if (!Contains(allowed, cpu) || Contains(cpus, cpu)) {
      Refuse(Cat("--cpu ", cpu, Contains(cpus, cpu) ? " is given twice" : " is not available",
                 "; available to this process are ", Join(allowed)));
    }
    cpus.push_back(cpu);
    if (comma == std::string_view::npos) return cpus;
    text.remove_prefix(comma + 1);
  }
}

uint16_t ParseQueues(std::string_view text) {
  const unsigned queues = ParseNumber(text, "--queues");
  if (queues >= 1 && queues <= kMostQueues) return static_cast<uint16_t>(queues);
  Refuse(Cat("--queues ", queues, "; allowed are 1 to ", kMostQueues));
}

LogFormat ParseLogFormat(std::string_view text) {
  if (text == "text") return LogFormat::kText;
  if (text == "json") return LogFormat::kJson;
  Refuse(Cat("--log ", Quote(text), "; allowed are text and json"));
}

void AddPort(std::string_view text, std::vector<PortSpec>& ports) {
  PortSpec spec = ParsePortSpec(text);
  for (const auto& other : ports) {
    if (other.name == spec.name) Refuse(Cat("--port ", Quote(spec.name), " is given twice"));
  }
  ports.push_back(std::move(spec));
}

struct Flag {
  const char* name;
  int has_argument;
  void (*apply)(const char* argument, Options& options);
};

constexpr auto kFlags = std::to_array<Flag>({
    {"listen", required_argument,
     [](const char* argument, Options& options) { options.listen.address = argument; }},
    {"tls-cert", required_argument,
     [](const char* argument, Options& options) { options.listen.tls_certificate = argument; }},
    {"tls-key", required_argument,
     [](const char* argument, Options& options) { options.listen.tls_key = argument; }},
    {"tls-client-ca", required_argument,
     [](const char* argument, Options& options) { options.listen.tls_client_ca = argument; }},
    {"allow", required_argument,
     [](const char* argument, Options& options) { options.listen.allowed.insert(argument); }},
    {"captures", required_argument,
     [](const char* argument, Options& options) { options.captures = argument; }},
    {"port", required_argument,
     [](const char* argument, Options& options) { AddPort(argument, options.ports); }},
    {"force-interface", required_argument,
     [](const char* argument, Options& options) { options.forced_interfaces.insert(argument); }},
    {"cpu", required_argument,
     [](const char* argument, Options& options) { options.worker_cpus = ParseCpus(argument); }},
    {"queues", required_argument,
     [](const char* argument, Options& options) { options.queues = ParseQueues(argument); }},
    {"memory", required_argument,
     [](const char* argument, Options& options) {
       options.memory_mb = ParseNumber(argument, "--memory");
     }},
    {"hugepages", no_argument,
     [](const char* /*argument*/, Options& options) { options.hugepages = true; }},
    {"policy", required_argument,
     [](const char* argument, Options& options) {
       options.policy = std::make_shared<const Policy>(ReadPolicy(argument));
     }},
    {"user", required_argument,
     [](const char* argument, Options& options) { options.user = argument; }},
    {"metrics", required_argument,
     [](const char* argument, Options& options) { options.metrics_address = argument; }},
    {"log", required_argument,
     [](const char* argument, Options& options) { options.log_format = ParseLogFormat(argument); }},
    {"verbose", no_argument,
     [](const char* /*argument*/, Options& options) { options.log_level = LogLevel::kDebug; }},
    {"exit-with-parent", no_argument,
     [](const char* /*argument*/, Options& options) { options.exit_with_parent = true; }},
    {"restore", no_argument,
     [](const char* /*argument*/,
        Options& options) { options.action = Options::Action::kRestore; }},
    {"version", no_argument,
     [](const char* /*argument*/,
        Options& options) { options.action = Options::Action::kVersion; }},
    {"help", no_argument,
     [](const char* /*argument*/, Options& options) { options.action = Options::Action::kHelp; }},
});

// For getopt_long, which returns the index of a flag. The last one has no name.
constexpr auto kLongOptions = [] {
  std::array<option, kFlags.size() + 1> options{};
  for (size_t i = 0; i < kFlags.size(); ++i) {
    options[i] = {kFlags[i].name, kFlags[i].has_argument, nullptr, static_cast<int>(i)};
  }
  return options;
}();

// Clients of the policy are those that may call; its rates are of ports that there are.
void ApplyPolicy(const Policy& policy, Options& options) {
  if (!policy.clients.empty() && !options.listen.IsRemote()) {
    Refuse("--policy: `client` is for --listen grpc+tls; a UNIX socket has one user");
  }
  if (!policy.clients.empty() && !options.listen.allowed.empty()) {
    Refuse("--allow, and clients in --policy; give one of them");
  }
  for (const auto& [name, role] : policy.clients) options.listen.allowed.insert(name);
  options.listen.roles = policy.clients;
  for (const auto& [name, limit] : policy.rates) {
    const bool is_port = std::ranges::any_of(
        options.ports, [&, &name = name](const PortSpec& port) { return port.name == name; });
    if (!is_port) Refuse(Cat("--policy: rate of ", Quote(name), ", which is no --port"));
  }
}

void Complete(Options& options) {
  if (options.listen.address.empty()) Refuse("--listen is missing; testerd --help says what it is");
  if (options.ports.empty()) Refuse(Cat("--port is missing: ", kPortSpecHelp));
  CheckListen(options.listen);
  if (!options.listen.allowed.empty() && !options.listen.IsRemote()) {
    Refuse("--allow is for --listen grpc+tls; a UNIX socket has one user");
  }
  if (options.policy != nullptr) ApplyPolicy(*options.policy, options);
  const std::vector<unsigned> allowed = AllowedCpus();
  if (options.worker_cpus.empty()) options.worker_cpus = {allowed.back()};
  const size_t queues = options.ports.size() * options.queues;
  if (options.worker_cpus.size() > queues) {
    Refuse(Cat("--cpu ", Join(options.worker_cpus), ": ", options.worker_cpus.size(),
               " workers for ", options.ports.size(), " port(s) with ", options.queues,
               " queue(s) each; a queue is served by one worker, so CPU ",
               options.worker_cpus[queues],
               " would do nothing; give fewer CPUs, or more queues with --queues"));
  }
  for (const unsigned cpu : allowed) {
    if (!Contains(options.worker_cpus, cpu)) options.control_cpus.push_back(cpu);
  }
  if (options.control_cpus.empty()) options.control_cpus = options.worker_cpus;
  if (options.memory_mb == 0) {
    options.memory_mb = kBaseMemoryMb + kQueueMemoryMb * static_cast<unsigned>(queues);
  }
}

}  // namespace

Options ParseOptions(int argc, char** argv) {
  Options options;
  options.log_format = ::isatty(STDERR_FILENO) != 0 ? LogFormat::kText : LogFormat::kJson;
  opterr = 0;
  for (int flag = 0; (flag = ::getopt_long(argc, argv, "", kLongOptions.data(), nullptr)) != -1;) {
    if (flag == '?')
      Refuse(Cat("unknown or incomplete option ", Quote(argv[optind - 1]),
                 "; testerd --help lists them"));
    kFlags[static_cast<size_t>(flag)].apply(optarg, options);
  }
  if (options.action != Options::Action::kRun) return options;
  if (optind < argc) Refuse(Cat("unexpected argument ", Quote(argv[optind])));
  Complete(options);
  return options;
}

}  // namespace tester
