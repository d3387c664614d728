// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The captures that clients have started, until they forget them.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "capture/capture.h"
#include "capture/capture_plan.h"
#include "inline/trace.h"
#include "tester/loaded.h"
#include "tester/ports.h"
#include "tester/v1/counters.pb.h"
#include "worker/clock.h"
#include "worker/program.h"

namespace tester {

class Captures {
 public:
  // Facts about the tester whose ports are captured.
  struct Site {
    size_t workers;
    size_t ports;
    const Clock& clock;
  };

  explicit Captures(const Site& site) : site_(site) {}

  auto begin() const { return captures_.begin(); }
  auto end() const { return captures_.end(); }
  std::shared_ptr<Capture> Find(const std::string& name) const;
  std::vector<std::shared_ptr<Capture>> All() const;

  // Throws Error for a name in use, and beyond the most captures.
  void Add(const CapturePlan& plan);
  // Adds the trace of a path. Throws Error where the path is traced already.
  void AddTrace(const CapturePlan& plan, const std::shared_ptr<const PathPlan>& path);
  void Remove(const std::string& name) {
    captures_.erase(name);
    traces_.erase(name);
  }

  // Running captures keep the names of these streams.
  void Know(const LoadedJobs& jobs) const;
  void AddTaps(size_t worker, PortTaps& taps) const;
  void AddTrace(QueueProgram& program) const;

 private:
  struct Traced {
    std::shared_ptr<const PathPlan> path;
    std::shared_ptr<Trace> trace;
  };

  Site site_;
  std::map<std::string, std::shared_ptr<Capture>> captures_;  // stopped ones included
  std::map<std::string, Traced> traces_;                      // by the same names
};

void FillCapture(const Capture& capture, const Ports& ports, v1::CaptureCounters& out);

}  // namespace tester
