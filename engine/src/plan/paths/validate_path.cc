// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/paths/validate_path.h"

#include <map>
#include <set>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "plan/check_policy.h"
#include "plan/check_queues.h"
#include "plan/job.h"
#include "plan/paths/validate_event.h"
#include "plan/paths/validate_impairment.h"
#include "plan/refuse.h"
#include "plan/validate.h"
#include "plan/validate_measurement.h"

namespace tester {
namespace {

constexpr uint64_t kLeastHoldBytes = 64 << 10;
constexpr uint64_t kUsualHoldBytes = 16 << 20;
constexpr uint64_t kMostHoldBytes = 1 << 30;

void CheckMost(std::string_view where, std::string_view what, int given, uint32_t most) {
  if (given <= static_cast<int>(most)) return;
  throw Error(Code::kResourceExhausted,
              Cat(where, ": ", given, " ", what, "; there can be ", most));
}

// The user of each port, for messages.
using Users = std::map<uint16_t, std::string>;

void AddUsers(const Job& job, Users& users) {
  for (const auto& stream : job.streams) {
    const std::string who = Cat("stream ", Quote(stream.name), " of job ", Quote(job.name));
    users.emplace(stream.tx_port, who);
    users.emplace(stream.rx_port, who);
  }
  for (const auto& responder : job.responders) {
    const std::string who = Cat("responder ", Quote(responder->name), " of job ", Quote(job.name));
    users.emplace(responder->port, who);
    users.emplace(responder->out_port, who);
  }
}

void CheckPort(const std::string& where, const std::string& port, uint16_t index,
               const Users& users, std::string_view remedy) {
  const auto user = users.find(index);
  if (user == users.end()) return;
  throw Error(Code::kAlreadyExists,
              Cat(where, ": port ", Quote(port), " is used by ", user->second,
                  "; a path has its ports to itself: ", remedy, ", or take other ports"));
}

constexpr std::string_view kStopPath = "stop that path first (Stop Path in a suite)";
constexpr std::string_view kStopTraffic = "stop that traffic first";

}  // namespace

std::shared_ptr<const PathPlan> ValidatePath(const v1::Path& path, std::string_view job,
                                             std::span<const PortLimits> ports) {
  const std::string where = Cat("job ", Quote(job), ", path ", Quote(path.name()));
  CheckRange(where, "bytes of the name:", path.name().size(), 1, kMaxJobNameBytes);
  auto plan = std::make_shared<PathPlan>();
  plan->name = path.name();
  plan->first_port = FindPort(path.first_port(), ports, Cat(where, ", first_port"));
  plan->second_port = FindPort(path.second_port(), ports, Cat(where, ", second_port"));
  if (plan->first_port == plan->second_port) {
    Refuse(where, "port ", Quote(path.first_port()),
           " is both of its ends; a path leads from one port to another one");
  }
  for (const auto& name : path.beside()) {
    const uint16_t port = FindPort(name, ports, Cat(where, ", beside"));
    if (plan->Has(port)) {
      Refuse(where, "port ", Quote(name), " is given twice; ports beside the first one are others");
    }
    plan->beside.push_back(port);
  }
  plan->known_by_ip = path.known_by_ip();
  for (const uint16_t port : plan->Ports()) CheckOneQueue(ports[port], "paths", where);
  CheckPathAllowed(ports[plan->first_port], where);
  CheckMost(where, "watches", path.watches_size(), kMaxWatches);
  CheckMost(where, "events", path.events_size(), kMaxPathEvents);
  for (int i = 0; i < path.watches_size(); ++i) {
    const auto& matches = path.watches(i).matches();
    plan->watches.push_back(matches.empty() ? Matches{}
                                            : ReadMatches(matches, Cat(where, ", watch ", i)));
  }
  std::set<std::string> names;
  for (const auto& event : path.events()) {
    plan->events.push_back(ValidateEvent(event, *plan, ports, where));
    if (!names.insert(event.name()).second) {
      Refuse(where, "event ", Quote(event.name()), " is given twice; its name must be unique");
    }
  }
  for (const auto& impairment : path.impairments()) ValidateImpairment(impairment, where, *plan);
  plan->hold_bytes = path.hold_bytes() == 0 ? kUsualHoldBytes : path.hold_bytes();
  CheckRange(where, "hold_bytes", plan->hold_bytes, kLeastHoldBytes, kMostHoldBytes);
  return plan;
}

void CheckPaths(const Job& job, const Inventory& inventory) {
  Users users;
  Users path_ports;
  size_t paths = job.paths.size();
  const auto add_paths = [&](const Job& other) {
    for (const auto& path : other.paths) {
      for (const uint16_t port : path->Ports()) {
        const std::string where = Cat("job ", Quote(job.name), ", path ", Quote(path->name));
        CheckPort(where, inventory.ports[port].name, port, path_ports, kStopPath);
      }
      const std::string who = Cat("path ", Quote(path->name), " of job ", Quote(other.name));
      for (const uint16_t port : path->Ports()) path_ports.emplace(port, who);
    }
  };
  for (const Job* other : inventory.loaded) {
    AddUsers(*other, users);
    add_paths(*other);
    paths += other->paths.size();
  }
  Users own;
  AddUsers(job, own);
  for (const auto& [port, who] : own) {
    CheckPort(Cat("job ", Quote(job.name), ", ", who), inventory.ports[port].name, port, path_ports,
              kStopPath);
  }
  users.merge(own);
  std::set<std::string> names;
  for (const auto& path : job.paths) {
    const std::string where = Cat("job ", Quote(job.name), ", path ", Quote(path->name));
    if (!names.insert(path->name).second) Refuse(where, "it is given twice; it must be unique");
    const PortLimits& first = inventory.ports[path->first_port];
    for (const uint16_t index : path->Ports()) {
      const PortLimits& port = inventory.ports[index];
      CheckPort(where, port.name, index, users, kStopTraffic);
      if (first.worker == port.worker) continue;
      throw Error(Code::kFailedPrecondition,
                  Cat(where, ": ports ", Quote(first.name), " and ", Quote(port.name),
                      " are served by different workers, and frames do not change theirs; start "
                      "testerd with one CPU for its workers (--cpu, or cpus: in the testbed)"));
    }
  }
  add_paths(job);
  if (paths > kMaxPaths) {
    throw Error(Code::kResourceExhausted,
                Cat("job ", Quote(job.name), ": ", job.paths.size(), " paths would make ", paths,
                    " loaded ones; max_paths is ", kMaxPaths));
  }
}

}  // namespace tester
