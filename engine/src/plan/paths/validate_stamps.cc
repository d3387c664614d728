// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/paths/validate_stamps.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "plan/job.h"
#include "plan/paths/validate_event.h"
#include "plan/paths/validate_path.h"
#include "plan/refuse.h"
#include "plan/validate.h"
#include "plan/validate_measurement.h"

namespace tester {
namespace {

constexpr uint64_t kLeastMtu = 68;
constexpr uint64_t kMostMtu = 65'535;
constexpr uint64_t kMostFlowsInPackets = 65'535;  // their number has two bytes
constexpr uint64_t kMostFlowsByKept = 1 << 20;
constexpr uint64_t kLeastUnderWay = 64;
constexpr uint64_t kMostUnderWay = 1 << 24;
constexpr uint64_t kLeastIntervalNs = 1'000'000;
constexpr uint64_t kMostIntervals = 360'000;
// Without one of these fields any two packets of a flow look the same.
constexpr uint32_t kTellingApart = static_cast<uint32_t>(Kept::kIdentification) |
                                   static_cast<uint32_t>(Kept::kSequence) |
                                   static_cast<uint32_t>(Kept::kPayload);

void ValidateMode(const v1::Stamps& stamps, std::string_view where, StampPlan& plan) {
  switch (stamps.mode_case()) {
    case v1::Stamps::kInPacket:
      plan.remove = stamps.in_packet().remove();
      CheckRange(where, "mtu", stamps.in_packet().mtu(), kLeastMtu, kMostMtu);
      plan.mtu = stamps.in_packet().mtu();
      CheckRange(where, "flows", stamps.flows(), 1, kMostFlowsInPackets);
      return;
    case v1::Stamps::kByKept:
      plan.by_match = true;
      plan.kept = stamps.by_kept().fields();
      CheckRange(where, "fields", plan.kept, 1, kAllKept);
      if ((plan.kept & kTellingApart) == 0) {
        Refuse(where, "fields ", plan.kept,
               " tell no two packets of a flow apart; 16 (identification), 32 (sequence number) or "
               "128 "
               "(payload) has to be among them");
      }
      CheckRange(where, "under_way", stamps.by_kept().under_way(), kLeastUnderWay, kMostUnderWay);
      plan.under_way = stamps.by_kept().under_way();
      CheckRange(where, "flows", stamps.flows(), 1, kMostFlowsByKept);
      return;
    case v1::Stamps::MODE_NOT_SET:
      break;
  }
  Refuse(where, "no mode; give in_packet or by_kept");
}

// A path by its name in the job or among the loaded paths.
const PathPlan& FindPath(const PathName& name, const std::string& where,
                         const Inventory& inventory) {
  for (const Job* job : inventory.loaded) {
    if (job->name != name.job) continue;
    for (const auto& path : job->paths) {
      if (path->name == name.path) return *path;
    }
  }
  throw Error(Code::kNotFound, Cat(where, ": no path ", Quote(name.path), " of a job ",
                                   Quote(name.job), "; load it first"));
}

void CheckWorkers(const StampPlan& plan, const std::string& where, const Inventory& inventory) {
  std::vector<uint16_t> ports;
  for (const PathName* name : {&plan.before, &plan.behind}) {
    const PathPlan& path = FindPath(*name, where, inventory);
    const std::vector<uint16_t> those = path.Ports();
    ports.insert(ports.end(), those.begin(), those.end());
  }
  const PortLimits& first = inventory.ports[ports.front()];
  for (const uint16_t index : ports) {
    const PortLimits& port = inventory.ports[index];
    if (port.worker == first.worker) continue;
    throw Error(
        Code::kFailedPrecondition,
        Cat(where, ": ports ", Quote(first.name), " and ", Quote(port.name),
            " are served by different workers, and both times have to be one worker's; start "
            "testerd with one CPU for its workers (--cpu, or cpus: in the testbed)"));
  }
}

}  // namespace

std::shared_ptr<const StampPlan> ValidateStamps(const v1::Stamps& stamps, std::string_view job) {
  const std::string where = Cat("job ", Quote(job), ", stamps ", Quote(stamps.name()));
  CheckRange(where, "bytes of the name:", stamps.name().size(), 1, kMaxJobNameBytes);
  auto plan = std::make_shared<StampPlan>();
  plan->name = stamps.name();
  plan->before = {.job = stamps.before().job(), .path = stamps.before().path()};
  plan->behind = {.job = stamps.behind().job(), .path = stamps.behind().path()};
  if (plan->before == plan->behind) {
    Refuse(where, "path ", Quote(plan->before.path),
           " is both of its paths; the device lies between two different ones");
  }
  CheckRange(where, "heading", static_cast<uint64_t>(stamps.heading()), 0,
             v1::Event::HEADING_BACKWARD);
  plan->heading = static_cast<Heading>(stamps.heading());
  if (!stamps.matches().empty())
    plan->matches = ReadMatches(stamps.matches(), Cat(where, ", matches"));
  plan->data_only = stamps.data_only();
  CheckRange(where, "tunnel", static_cast<uint64_t>(stamps.tunnel()), 0, v1::Stamps::TUNNEL_GTP_U);
  plan->tunnel = static_cast<Tunnel>(stamps.tunnel());
  ValidateMode(stamps, where, *plan);
  plan->flows = stamps.flows();
  CheckRange(where, "timeout_ns", stamps.timeout_ns(), 1, kMostDelayNs);
  plan->timeout_ns = stamps.timeout_ns();
  CheckRange(where, "interval_ns", stamps.interval_ns(), kLeastIntervalNs, kMostDelayNs);
  plan->interval_ns = stamps.interval_ns();
  CheckRange(where, "intervals", stamps.intervals(), 1, kMostIntervals);
  plan->intervals = stamps.intervals();
  return plan;
}

void CheckStamps(const Job& job, const Inventory& inventory) {
  size_t count = job.stamps.size();
  std::vector<const StampPlan*> others;
  for (const Job* other : inventory.loaded) {
    count += other->stamps.size();
    for (const auto& stamps : other->stamps) others.push_back(stamps.get());
  }
  std::set<std::string> names;
  for (const auto& stamps : job.stamps) {
    const std::string where = Cat("job ", Quote(job.name), ", stamps ", Quote(stamps->name));
    if (!names.insert(stamps->name).second)
      Refuse(where, "they are given twice; give each its own name");
    CheckWorkers(*stamps, where, inventory);
    for (const StampPlan* other : others) {
      for (const PathName* path : {&stamps->before, &stamps->behind}) {
        if (*path != other->before && *path != other->behind) continue;
        throw Error(Code::kAlreadyExists,
                    Cat(where, ": path ", Quote(path->path), " has the stamps ", Quote(other->name),
                        " already; a path has one of them"));
      }
    }
    others.push_back(stamps.get());
  }
  if (count > kMaxStamps) {
    throw Error(Code::kResourceExhausted,
                Cat("job ", Quote(job.name), ": ", job.stamps.size(), " stamps would make ", count,
                    " loaded ones; max_stamps is ", kMaxStamps));
  }
}

}  // namespace tester
