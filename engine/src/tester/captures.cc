// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "tester/captures.h"

#include <chrono>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "plan/validate_capture.h"

namespace tester {
namespace {

int64_t UnixNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

std::shared_ptr<Capture> Captures::Find(const std::string& name) const {
  const auto at = captures_.find(name);
  if (at != captures_.end()) return at->second;
  std::vector<std::string> known;
  for (const auto& [other, capture] : captures_) known.push_back(Quote(other));
  throw Error(Code::kNotFound, Cat("no capture ", Quote(name), "; there are ", Join(known)));
}

std::vector<std::shared_ptr<Capture>> Captures::All() const {
  std::vector<std::shared_ptr<Capture>> all;
  for (const auto& [name, capture] : captures_) all.push_back(capture);
  return all;
}

void Captures::Add(const CapturePlan& plan) {
  const std::string where = Cat("capture ", Quote(plan.name));
  if (captures_.contains(plan.name)) {
    throw Error(Code::kAlreadyExists, Cat(where, ": there is one of that name; forget it first"));
  }
  if (captures_.size() >= kMaxCaptures) {
    throw Error(Code::kResourceExhausted,
                Cat(where, ": there are ", captures_.size(), " captures, stopped ones included; ",
                    "max_captures is ", kMaxCaptures));
  }
  const uint64_t now_ns = site_.clock.Now();
  captures_[plan.name] = std::make_shared<Capture>(plan, site_.workers, site_.ports, now_ns,
                                                   UnixNow() - static_cast<int64_t>(now_ns));
}

void Captures::AddTrace(const CapturePlan& plan, const std::shared_ptr<const PathPlan>& path) {
  for (const auto& [name, traced] : traces_) {
    if (traced.path != path || !captures_.at(name)->running()) continue;
    throw Error(Code::kAlreadyExists, Cat("trace ", Quote(plan.name), ": path ", Quote(path->name),
                                          " is traced by ", Quote(name), "; stop that first"));
  }
  Add(plan);
  const size_t worker = path->first_port % site_.workers;
  traces_[plan.name] = {.path = path,
                        .trace = std::make_shared<Trace>(
                            captures_[plan.name]->lane(worker),
                            Trace::Plan{.every = plan.every,
                                        .snap_length = plan.snap_length,
                                        .ports = {path->first_port, path->second_port}})};
}

void Captures::AddTrace(QueueProgram& program) const {
  if (!program.path.running) return;
  for (const auto& [name, traced] : traces_) {
    if (traced.path == program.path.plan && captures_.at(name)->running()) {
      program.path.trace = traced.trace;
    }
  }
}

void Captures::Know(const LoadedJobs& jobs) const {
  for (const auto& [name, capture] : captures_) {
    if (!capture->running()) continue;
    for (const auto& [job_name, job] : jobs) {
      for (const auto& stream : job->streams) capture->Know(stream.plan.id, stream.plan.name);
    }
  }
}

void Captures::AddTaps(size_t worker, PortTaps& taps) const {
  for (const auto& [name, capture] : captures_) {
    const CapturePlan& plan = capture->plan();
    if (!capture->running() || !plan.ports[taps.port] || traces_.contains(name)) continue;
    Tap tap{.lane = capture->lane(worker),
            .filter = plan.filter,
            .streams = capture->StreamIds(),
            .snap_length = plan.snap_length,
            .port = taps.port,
            .transmitted = true};
    if (plan.transmitted) taps.transmitted.captures.push_back(tap);
    tap.transmitted = false;
    if (plan.received) taps.received.captures.push_back(std::move(tap));
  }
}

void FillCapture(const Capture& capture, const Ports& ports, v1::CaptureCounters& out) {
  out.set_name(capture.plan().name);
  out.set_running(capture.running());
  out.set_captured(capture.kept());
  out.set_triggered_ns(capture.triggered_ns());
  for (size_t i = 0; i < ports.size(); ++i) {
    if (!capture.plan().ports[i]) continue;
    const Capture::PortCount counted = capture.counters(i);
    auto& port = *out.add_ports();
    port.set_port(ports[i].facts().name);
    port.set_seen(counted.seen);
    port.set_matched(counted.matched);
    port.set_dropped(counted.dropped);
  }
}

}  // namespace tester
