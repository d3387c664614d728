// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A path from a start to its stop, from program to program.
#pragma once

#include <cstddef>
#include <memory>

#include "inline/events.h"
#include "inline/path_counters.h"
#include "inline/trace.h"
#include "port/port.h"

namespace tester {

struct RunningPath {
  explicit RunningPath(const PathPlan& plan) : events(plan) {}

  Events events;  // used by the worker, but for its counters
  PathCounters counters;
};

// Where one direction of a path begins: what arrives on the port leaves by the other one.
struct PathEnd {
  std::shared_ptr<RunningPath> running;
  size_t direction = 0;
  Port* out = nullptr;
  std::shared_ptr<const PathPlan> plan{};
  std::shared_ptr<Trace> trace{};  // null where nobody traces it
};

}  // namespace tester
