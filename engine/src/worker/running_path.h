// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A path from a start to its stop, from program to program.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "inline/events/events.h"
#include "inline/hold/holding.h"
#include "inline/path_counters.h"
#include "inline/stamps/stamping.h"
#include "inline/stations.h"
#include "inline/trace.h"
#include "port/port.h"

namespace tester {

struct RunningPath {
  explicit RunningPath(const PathPlan& plan) : events(plan) {
    if (!plan.beside.empty()) stations = std::make_unique<Stations>(plan.known_by_ip);
    for (size_t direction = 0; direction < kPathDirections; ++direction) {
      if (!Holding::Needed(plan, direction)) continue;
      holding[direction] = std::make_unique<Holding>(plan, direction, events, counters[direction]);
    }
  }

  Events events;  // used by the worker; any thread may read counters
  PathCounters counters;
  // Used by the worker; null where its first end has one port.
  std::unique_ptr<Stations> stations;
  // Used by the worker; null where frames pass at once.
  std::array<std::unique_ptr<Holding>, kPathDirections> holding;
};

// Stamps from a start to the next one, from program to program.
struct RunningStamps {
  RunningStamps(const StampPlan& plan, uint64_t start_ns) {
    for (size_t direction = 0; direction < kPathDirections; ++direction) {
      if (!Heads(plan.heading, direction)) continue;
      directions[direction] = std::make_unique<Stamping>(plan, direction, start_ns);
    }
  }

  // Null where packets are not stamped.
  std::array<std::unique_ptr<Stamping>, kPathDirections> directions;
};

// The begin of one direction of a path: frames that arrive on the port leave by the other port, or
// by one of the ports of the other end.
struct PathEnd {
  std::shared_ptr<RunningPath> running;
  size_t direction = 0;
  PortQueue* in = nullptr;
  PortQueue* out = nullptr;
  size_t station_port = 0;         // the number of `in` among the ports of the first end
  std::vector<PortQueue*> outs{};  // by that number; none: all leave by `out`
  std::shared_ptr<const PathPlan> plan{};
  std::shared_ptr<Trace> trace{};  // null without a trace
  std::shared_ptr<RunningStamps> stamps{};
  // For frames that leave to the device, and for those that come back from it; null without stamps.
  Stamping* departing = nullptr;
  Stamping* arriving = nullptr;

  // The other direction, without trace and stamps: for frames that the path makes itself.
  PathEnd Back() const {
    return {.running = running, .direction = 1 - direction, .in = out, .out = in, .outs = {}};
  }
  // The holding of this direction; null where frames pass at once.
  Holding* holding() const { return running->holding[direction].get(); }
};

}  // namespace tester
