// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/validate_inline.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "plan/job.h"
#include "plan/measurement.h"
#include "plan/refuse.h"
#include "plan/validate.h"
#include "wire/ethernet.h"

namespace tester {
namespace {

constexpr uint32_t kMostNumberedFlows = 65'536;
constexpr uint32_t kMostIterations = 65'535;
constexpr uint32_t kMostFrameBytes = 65'535;

void CheckRange(std::string_view where, std::string_view what, uint64_t given, uint64_t least,
                uint64_t most) {
  if (given >= least && given <= most) return;
  Refuse(where, what, " ", given, "; allowed are ", least, " to ", most);
}

void CheckMost(std::string_view where, std::string_view what, int given, uint32_t most) {
  if (given <= static_cast<int>(most)) return;
  throw Error(Code::kResourceExhausted,
              Cat(where, ": ", given, " ", what, "; there can be ", most));
}

Selection ValidateSelection(const v1::Event& event, std::string_view where) {
  if (event.select_case() != v1::Event::kNumber && event.iteration() != 0) {
    Refuse(where, "an iteration without a number: only a numbered packet is known again");
  }
  switch (event.select_case()) {
    case v1::Event::kNumber:
      CheckRange(where, "number", event.number(), 1, UINT64_MAX);
      CheckRange(where, "iteration", event.iteration(), 1, kMostIterations);
      return ByNumber{.number = event.number(), .iteration = event.iteration()};
    case v1::Event::kEvery:
      CheckRange(where, "every", event.every(), 1, UINT64_MAX);
      return ByEvery{.packets = event.every()};
    case v1::Event::kRatio:
      CheckRange(where, "threshold", event.ratio().threshold(), 1, UINT64_MAX);
      return ByRatio{.seed = event.ratio().seed(), .threshold = event.ratio().threshold()};
    case v1::Event::SELECT_NOT_SET:
      break;
  }
  Refuse(where, "it selects no packet; give number, every or ratio");
}

PacketAction ValidateAction(const v1::Event& event, std::string_view where) {
  switch (event.action_case()) {
    case v1::Event::kDrop:
      return DropPacket{};
    case v1::Event::kMarkCe:
      return MarkPacket{};
    case v1::Event::kCorrupt: {
      const auto& corrupt = event.corrupt();
      CheckRange(where, "part", static_cast<uint64_t>(corrupt.part()), 0, v1::Corrupt::PART_FRAME);
      CheckRange(where, "bit", corrupt.bit(), 0, kMostFrameBytes * 8 - 1);
      return CorruptPacket{.part = static_cast<Part>(corrupt.part()),
                           .bit = corrupt.bit(),
                           .repair = corrupt.repair()};
    }
    case v1::Event::kDuplicate:
      return DuplicatePacket{};
    case v1::Event::kTruncate:
      CheckRange(where, "bytes", event.truncate().bytes(), wire::kMinFrameBytes, kMostFrameBytes);
      return TruncatePacket{.bytes = event.truncate().bytes()};
    case v1::Event::ACTION_NOT_SET:
      break;
  }
  Refuse(where, "nothing happens; give an action");
}

EventPlan ValidateEvent(const v1::Event& event, size_t watches, std::string_view path) {
  const std::string where = Cat(path, ", event ", Quote(event.name()));
  CheckRange(where, "bytes of the name:", event.name().size(), 1, kMaxJobNameBytes);
  if (event.watch() >= watches) {
    Refuse(where, "watch ", event.watch(), " of ", watches, "; they are numbered from 0");
  }
  CheckRange(where, "heading", static_cast<uint64_t>(event.heading()), 0,
             v1::Event::HEADING_BACKWARD);
  CheckRange(where, "flow", event.flow(), 0, kMostNumberedFlows);
  return {.name = event.name(),
          .watch = event.watch(),
          .heading = static_cast<Heading>(event.heading()),
          .flow = event.flow(),
          .data_only = event.data_only(),
          .selection = ValidateSelection(event, where),
          .action = ValidateAction(event, where)};
}

// Who uses a port, for messages.
using Users = std::map<uint16_t, std::string>;

void AddUsers(const Job& job, Users& users) {
  for (const auto& stream : job.streams) {
    const std::string who = Cat("stream ", Quote(stream.name), " of job ", Quote(job.name));
    users.emplace(stream.tx_port, who);
    users.emplace(stream.rx_port, who);
  }
  for (const auto& responder : job.responders) {
    users.emplace(responder->port,
                  Cat("responder ", Quote(responder->name), " of job ", Quote(job.name)));
  }
}

void CheckPort(const std::string& where, const std::string& port, uint16_t index,
               const Users& users) {
  const auto user = users.find(index);
  if (user == users.end()) return;
  throw Error(Code::kAlreadyExists,
              Cat(where, ": port ", Quote(port), " is used by ", user->second,
                  "; a path has its ports to itself, so unload that or take other ports"));
}

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
  CheckMost(where, "watches", path.watches_size(), kMaxWatches);
  CheckMost(where, "events", path.events_size(), kMaxPathEvents);
  for (int i = 0; i < path.watches_size(); ++i) {
    const auto& matches = path.watches(i).matches();
    plan->watches.push_back(matches.empty() ? Matches{}
                                            : ReadMatches(matches, Cat(where, ", watch ", i)));
  }
  std::set<std::string> names;
  for (const auto& event : path.events()) {
    plan->events.push_back(ValidateEvent(event, plan->watches.size(), where));
    if (!names.insert(event.name()).second) {
      Refuse(where, "event ", Quote(event.name()), " is given twice; its name must be unique");
    }
  }
  return plan;
}

void CheckPaths(const Job& job, const Inventory& inventory) {
  Users users;
  Users path_ports;
  size_t paths = job.paths.size();
  const auto add_paths = [&](const Job& other) {
    for (const auto& path : other.paths) {
      for (const uint16_t port : {path->first_port, path->second_port}) {
        const std::string where = Cat("job ", Quote(job.name), ", path ", Quote(path->name));
        CheckPort(where, inventory.ports[port].name, port, path_ports);
      }
      const std::string who = Cat("path ", Quote(path->name), " of job ", Quote(other.name));
      path_ports.emplace(path->first_port, who);
      path_ports.emplace(path->second_port, who);
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
    CheckPort(Cat("job ", Quote(job.name), ", ", who), inventory.ports[port].name, port,
              path_ports);
  }
  users.merge(own);
  std::set<std::string> names;
  for (const auto& path : job.paths) {
    const std::string where = Cat("job ", Quote(job.name), ", path ", Quote(path->name));
    if (!names.insert(path->name).second) Refuse(where, "it is given twice; it must be unique");
    const PortLimits& first = inventory.ports[path->first_port];
    const PortLimits& second = inventory.ports[path->second_port];
    CheckPort(where, first.name, path->first_port, users);
    CheckPort(where, second.name, path->second_port, users);
    if (first.worker != second.worker) {
      throw Error(Code::kFailedPrecondition,
                  Cat(where, ": ports ", Quote(first.name), " and ", Quote(second.name),
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
