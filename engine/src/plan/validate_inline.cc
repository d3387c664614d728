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

#include "plan/check_policy.h"
#include "plan/job.h"
#include "plan/measurement.h"
#include "plan/refuse.h"
#include "plan/validate.h"
#include "wire/ethernet.h"

namespace tester {
namespace {

constexpr uint32_t kMostNumberedFlows = 65'536;
constexpr uint32_t kMostIterations = 65'535;
constexpr size_t kMostPatternBytes = 1 << 20;
constexpr uint32_t kMostFrameBytes = 65'535;
constexpr uint32_t kMostReorderFrames = 65'535;
constexpr uint64_t kMostRewrittenBytes = 64;
constexpr uint64_t kLongestBlackholeNs = 3'600'000'000'000;
// An interface takes milliseconds to go down.
constexpr uint64_t kShortestLinkDownNs = 10'000'000;
constexpr uint64_t kLeastHoldBytes = 64 << 10;
constexpr uint64_t kUsualHoldBytes = 16 << 20;
constexpr uint64_t kMostHoldBytes = 1 << 30;
constexpr uint64_t kLeastRate = 1'000;
constexpr uint64_t kMostRate = 1'000'000'000'000;
constexpr uint32_t kMostQueueFrames = 65'536;
constexpr uint64_t kMostQueueBytes = 1 << 30;
constexpr int kMostQuantiles = 65'537;

void CheckMost(std::string_view where, std::string_view what, int given, uint32_t most) {
  if (given <= static_cast<int>(most)) return;
  throw Error(Code::kResourceExhausted,
              Cat(where, ": ", given, " ", what, "; there can be ", most));
}

ByPattern ValidatePattern(std::string_view pattern, std::string_view where) {
  CheckRange(where, "bytes of the pattern:", pattern.size(), 1, kMostPatternBytes);
  const Frame bytes = BytesOf(pattern);
  if (std::ranges::any_of(bytes, [](uint8_t byte) { return byte > 1; }) ||
      std::ranges::find(bytes, 1) == bytes.end()) {
    Refuse(where, "a pattern has bytes of 0 and 1, one of which is 1");
  }
  return {.selects = {bytes.begin(), bytes.end()}};
}

Selection ValidateSelection(const v1::Event& event, std::string_view where) {
  const bool one =
      event.select_case() == v1::Event::kNumber || event.select_case() == v1::Event::kCarried;
  if (!one && event.iteration() != 0) {
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
    case v1::Event::kCarried:
      CheckRange(where, "flow", event.flow(), 1, kMostNumberedFlows);
      CheckRange(where, "iteration", event.iteration(), 1, kMostIterations);
      return ByCarried{.sequence = event.carried().sequence(),
                       .from_start = event.carried().from_start(),
                       .iteration = event.iteration()};
    case v1::Event::kPattern:
      return ValidatePattern(event.pattern(), where);
    case v1::Event::SELECT_NOT_SET:
      break;
  }
  Refuse(where, "it selects no packet; give number, every, ratio, carried or pattern");
}

RewritePacket ValidateRewrite(const v1::RewriteBits& rewrite, std::string_view where) {
  CheckRange(where, "part", static_cast<uint64_t>(rewrite.part()), 0, v1::Corrupt::PART_FRAME);
  CheckRange(where, "bytes of the mask:", rewrite.mask().size(), 1, kMostRewrittenBytes);
  CheckRange(where, "offset", rewrite.offset(), 0, kMostFrameBytes - rewrite.mask().size());
  CheckRange(where, "protocol", rewrite.protocol(), 0, UINT8_MAX);
  const uint32_t version = rewrite.ip_version();
  if (version != 0 && version != 4 && version != 6) {
    Refuse(where, "ip_version ", version, "; give 4, 6 or none");
  }
  if (rewrite.value().size() != rewrite.mask().size()) {
    Refuse(where, "a value of ", rewrite.value().size(), " bytes under a mask of ",
           rewrite.mask().size(), "; give as many");
  }
  const Frame mask = BytesOf(rewrite.mask());
  const Frame value = BytesOf(rewrite.value());
  for (size_t i = 0; i < mask.size(); ++i) {
    if ((value[i] & ~mask[i]) != 0) Refuse(where, "bits of the value are not under the mask");
  }
  return {.part = static_cast<Part>(rewrite.part()),
          .ip_version = static_cast<uint8_t>(version),
          .protocol = static_cast<uint8_t>(rewrite.protocol()),
          .offset = rewrite.offset(),
          .mask = {mask.begin(), mask.end()},
          .value = {value.begin(), value.end()},
          .repair = rewrite.repair()};
}

TakeLinkDown ValidateLinkDown(const v1::LinkDown& down, const PathPlan& path,
                              std::span<const PortLimits> ports, std::string_view where) {
  CheckRange(where, "duration_ns", down.duration_ns(), kShortestLinkDownNs, kLongestBlackholeNs);
  if (!path.beside.empty()) {
    Refuse(where,
           "a path with several ports at its first end has no link that could be taken down for "
           "all of "
           "them; use a blackhole of both ways");
  }
  TakeLinkDown plan{.duration_ns = down.duration_ns(), .ports = {}};
  const std::array ends{path.first_port, path.second_port};
  for (const auto& name : down.ports()) {
    const auto end = std::ranges::find(ends, name, [&](uint16_t port) { return ports[port].name; });
    if (end == ends.end()) {
      Refuse(where, "port ", Quote(name), " is none of its path; there are ",
             Quote(ports[ends[0]].name), " and ", Quote(ports[ends[1]].name));
    }
    plan.ports[static_cast<size_t>(end - ends.begin())] = true;
  }
  if (down.ports().empty()) plan.ports.fill(true);
  for (size_t i = 0; i < ends.size(); ++i) {
    const PortLimits& port = ports[ends[i]];
    if (!plan.ports[i] || !port.interface.empty()) continue;
    Refuse(
        where, "port ", Quote(port.name),
        " has no interface of the kernel, whose link could be taken down; name ports that have one "
        "(iface:, af_xdp:, af_packet:), or use a blackhole of both ways");
  }
  return plan;
}

PacketAction ValidateAction(const v1::Event& event, const PathPlan& path,
                            std::span<const PortLimits> ports, std::string_view where) {
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
    case v1::Event::kDelay:
      CheckRange(where, "delay_ns", event.delay().delay_ns(), 1, kMostDelayNs);
      return DelayPacket{.delay_ns = event.delay().delay_ns(),
                         .overtaken = event.delay().overtaken()};
    case v1::Event::kReorder:
      CheckRange(where, "frames", event.reorder().frames(), 1, kMostReorderFrames);
      CheckRange(where, "limit_ns", event.reorder().limit_ns(), 1, kMostDelayNs);
      return ReorderPacket{.frames = event.reorder().frames(),
                           .limit_ns = event.reorder().limit_ns()};
    case v1::Event::kRewrite:
      return ValidateRewrite(event.rewrite(), where);
    case v1::Event::kBlackhole:
      CheckRange(where, "duration_ns", event.blackhole().duration_ns(), 1, kLongestBlackholeNs);
      return BlackholePath{.duration_ns = event.blackhole().duration_ns(),
                           .flow_only = event.blackhole().flow_only(),
                           .both_ways = event.blackhole().both_ways()};
    case v1::Event::kLinkDown:
      return ValidateLinkDown(event.link_down(), path, ports, where);
    case v1::Event::kReset:
      return ResetConnection{};
    case v1::Event::ACTION_NOT_SET:
      break;
  }
  Refuse(where, "nothing happens; give an action");
}

EventPlan ValidateEvent(const v1::Event& event, const PathPlan& path,
                        std::span<const PortLimits> ports, std::string_view path_where) {
  const std::string where = Cat(path_where, ", event ", Quote(event.name()));
  const size_t watches = path.watches.size();
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
          .action = ValidateAction(event, path, ports, where)};
}

LossPlan ValidateLoss(const v1::Impairment& impairment, std::string_view where) {
  switch (impairment.loss_case()) {
    case v1::Impairment::kRandomLoss: {
      const auto& ratio = impairment.random_loss();
      CheckRange(where, "threshold", ratio.threshold(), 1, UINT64_MAX);
      return ByRatio{.seed = ratio.seed(), .threshold = ratio.threshold()};
    }
    case v1::Impairment::kGilbertElliott: {
      const auto& bursts = impairment.gilbert_elliott();
      return GilbertElliottLoss{.seed = bursts.seed(),
                                .to_bad = bursts.to_bad(),
                                .to_good = bursts.to_good(),
                                .in_good = bursts.loss_in_good(),
                                .in_bad = bursts.loss_in_bad()};
    }
    case v1::Impairment::LOSS_NOT_SET:
      break;
  }
  return NoLoss{};
}

ShaperPlan ValidateShaper(const v1::Shaper& shaper, std::string_view where) {
  CheckRange(where, "bits_per_second", shaper.bits_per_second(), kLeastRate, kMostRate);
  CheckRange(where, "overhead_bytes", shaper.overhead_bytes(), 0, wire::kLineOverheadBytes);
  ShaperPlan plan{.bits_per_second = shaper.bits_per_second(),
                  .overhead_bytes = shaper.overhead_bytes(),
                  .queue_frames = 0,
                  .queue_bytes = 0};
  switch (shaper.queue_case()) {
    case v1::Shaper::kFrames:
      CheckRange(where, "frames of the queue:", shaper.frames(), 1, kMostQueueFrames);
      plan.queue_frames = shaper.frames();
      return plan;
    case v1::Shaper::kBytes:
      CheckRange(where, "bytes of the queue:", shaper.bytes(),
                 wire::kMinFrameBytes + wire::kFcsBytes, kMostQueueBytes);
      plan.queue_bytes = shaper.bytes();
      return plan;
    case v1::Shaper::QUEUE_NOT_SET:
      break;
  }
  Refuse(where, "a rate without a queue; give frames or bytes");
}

DelayPlan ValidateDelay(const v1::DelayLaw& law, std::string_view where) {
  CheckRange(where, "points of the delay:", static_cast<uint64_t>(law.quantiles_ns_size()), 1,
             kMostQuantiles);
  DelayPlan plan{.seed = law.seed(),
                 .quantiles_ns = {law.quantiles_ns().begin(), law.quantiles_ns().end()},
                 .overtaken = law.overtaken(),
                 .correlation = law.correlation()};
  if (!(plan.correlation >= 0 && plan.correlation < 1)) {
    Refuse(where, "correlation ", plan.correlation, "; give 0 or more, and less than 1");
  }
  if (!std::ranges::is_sorted(plan.quantiles_ns)) Refuse(where, "quantiles of the delay fall");
  CheckRange(where, "delay in ns:", plan.quantiles_ns.back(), 0, kMostDelayNs);
  return plan;
}

void ValidateImpairment(const v1::Impairment& impairment, const std::string& path, PathPlan& plan) {
  const std::string where = Cat(path, ", impairment");
  const auto heading = impairment.heading();
  if (heading != v1::Event::HEADING_FORWARD && heading != v1::Event::HEADING_BACKWARD) {
    Refuse(where, "heading ", static_cast<int>(heading), "; give one direction, 1 or 2");
  }
  auto& place = plan.impairments[heading == v1::Event::HEADING_FORWARD ? 0 : 1];
  if (place) Refuse(where, "its direction has one already; give one for each");
  const bool none = impairment.loss_case() == v1::Impairment::LOSS_NOT_SET &&
                    !impairment.has_shaper() && !impairment.has_delay();
  if (none) Refuse(where, "nothing happens; give a loss, a shaper or a delay");
  place.emplace();
  place->loss = ValidateLoss(impairment, where);
  if (impairment.has_shaper()) place->shaper = ValidateShaper(impairment.shaper(), where);
  if (impairment.has_delay()) place->delay = ValidateDelay(impairment.delay(), where);
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
