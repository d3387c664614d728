// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The captures that clients have started, until they forget them.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "capture/capture.h"
#include "capture/capture_plan.h"
#include "tester/loaded.h"
#include "tester/ports.h"
#include "tester/v1/counters.pb.h"
#include "worker/clock.h"
#include "worker/program.h"

namespace tester {

class Captures {
 public:
  struct Tester {  // that they belong to
    size_t workers;
    size_t ports;
    const Clock& clock;
  };

  explicit Captures(const Tester& tester) : tester_(tester) {}

  auto begin() const { return captures_.begin(); }
  auto end() const { return captures_.end(); }
  std::shared_ptr<Capture> Find(const std::string& name) const;

  // Throws Error where there is one of that name, or as many as there can be.
  void Add(const CapturePlan& plan);
  void Remove(const std::string& name) { captures_.erase(name); }

  // Those that run keep the names of these streams.
  void Know(const LoadedJobs& jobs) const;
  void AddTaps(size_t worker, Program& program) const;

 private:
  Tester tester_;
  std::map<std::string, std::shared_ptr<Capture>> captures_;  // stopped ones included
};

void FillCapture(const Capture& capture, const Ports& ports, v1::CaptureCounters& out);

}  // namespace tester
