// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Captures of the tester: started and stopped beside the jobs, and read by clients.
#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "plan/validate_capture.h"
#include "tester/tester.h"

namespace tester {
namespace {

constexpr size_t kChunkBytes = 1U << 20;

int64_t UnixNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

void FillFrame(const KeptFrame& frame, const std::string& port, v1::CapturedFrame& out) {
  out.set_time_ns(frame.facts.time_ns);
  out.set_port(port);
  out.set_transmitted(frame.facts.transmitted);
  out.set_stream_id(frame.facts.stream);
  if (frame.facts.sequence != CapturedFacts::kNoSequence) {
    out.set_sequence(frame.facts.sequence);
  }
  out.set_original_bytes(frame.facts.original_bytes);
  out.set_octets(frame.bytes.data(), frame.bytes.size());
}

}  // namespace

std::shared_ptr<Capture> Tester::FindCapture(const std::string& name) const {
  const auto at = captures_.find(name);
  if (at != captures_.end()) return at->second;
  std::vector<std::string> known;
  for (const auto& [other, capture] : captures_) known.push_back(Quote(other));
  throw Error(Code::kNotFound, Cat("no capture ", Quote(name), "; there are ", Join(known)));
}

void Tester::StartCapture(const v1::Capture& request) {
  CapturePlan plan = ValidateCapture(request, limits_);
  const std::lock_guard lock(mutex_);
  const std::string where = Cat("capture ", Quote(plan.name));
  if (captures_.contains(plan.name)) {
    throw Error(Code::kAlreadyExists, Cat(where, ": there is one of that name; forget it first"));
  }
  if (captures_.size() >= kMaxCaptures) {
    throw Error(Code::kResourceExhausted,
                Cat(where, ": there are ", captures_.size(), " captures, stopped ones included; ",
                    "max_captures is ", kMaxCaptures));
  }
  const uint64_t now_ns = clock_.Now();
  captures_[plan.name] = std::make_shared<Capture>(plan, workers_.size(), ports_.size(), now_ns,
                                                   UnixNow() - static_cast<int64_t>(now_ns));
  Publish();
  Log(LogLevel::kInfo, "capture", {{"name", plan.name}, {"filter", request.filter()}});
}

void Tester::AddTaps(size_t worker, Program& program) const {
  for (PortProgram& port : program.ports) {
    auto taps = std::make_unique<PortTaps>(PortTaps{.clock = &clock_});
    for (const auto& [name, capture] : captures_) {
      const CapturePlan& plan = capture->plan();
      if (!capture->running() || !plan.ports[port.index]) continue;
      Tap tap{.lane = capture->lane(worker),
              .filter = plan.filter,
              .streams = capture->StreamIds(),
              .snap_length = plan.snap_length,
              .port = port.index,
              .transmitted = true};
      if (plan.transmitted) taps->transmitted.push_back(tap);
      tap.transmitted = false;
      if (plan.received) taps->received.push_back(std::move(tap));
    }
    const bool any = !taps->transmitted.empty() || !taps->received.empty();
    port.taps = any ? std::move(taps) : nullptr;
  }
}

void Tester::EndCapture(const std::shared_ptr<Capture>& capture) {
  if (capture->stopped()) return;
  capture->End(clock_.Now());
  Publish();
  capture->Gather();
}

v1::StopCaptureResponse Tester::StopCapture(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto capture = FindCapture(name);
  EndCapture(capture);
  v1::StopCaptureResponse response;
  FillCapture(*capture, *response.mutable_counters());
  response.set_clock_zero_unix_ns(capture->clock_zero_unix_ns());
  response.set_started_ns(capture->started_ns());
  response.set_stopped_ns(capture->stopped_ns());
  for (const auto& [id, stream] : capture->streams()) (*response.mutable_streams())[id] = stream;
  Log(LogLevel::kInfo, "capture stopped",
      {{"name", name}, {"frames", static_cast<int64_t>(capture->frames().size())}});
  return response;
}

void Tester::ReadCapture(const std::string& name,
                         const std::function<bool(const v1::CapturedFrames&)>& write) {
  std::unique_lock lock(mutex_);
  // It outlives a ForgetCapture meanwhile.
  const std::shared_ptr<const Capture> capture = FindCapture(name);
  if (!capture->stopped()) {
    throw Error(Code::kFailedPrecondition,
                Cat("capture ", Quote(name), " is not stopped; stop it first"));
  }
  lock.unlock();
  v1::CapturedFrames chunk;
  size_t bytes = 0;
  for (const KeptFrame& frame : capture->frames()) {
    FillFrame(frame, ports_[frame.facts.port]->facts().name, *chunk.add_frames());
    bytes += sizeof frame + frame.bytes.size();
    if (bytes < kChunkBytes) continue;
    if (!write(chunk)) return;
    chunk.Clear();
    bytes = 0;
  }
  if (chunk.frames_size() > 0) write(chunk);
}

void Tester::ForgetCapture(const std::string& name) {
  const std::lock_guard lock(mutex_);
  EndCapture(FindCapture(name));
  captures_.erase(name);
}

void Tester::FillCapture(const Capture& capture, v1::CaptureCounters& out) const {
  out.set_name(capture.plan().name);
  out.set_running(capture.running());
  out.set_captured(capture.kept());
  for (size_t i = 0; i < ports_.size(); ++i) {
    if (!capture.plan().ports[i]) continue;
    const Capture::PortCount counted = capture.counters(i);
    auto& port = *out.add_ports();
    port.set_port(ports_[i]->facts().name);
    port.set_seen(counted.seen);
    port.set_matched(counted.matched);
    port.set_dropped(counted.dropped);
  }
}

}  // namespace tester
