// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Captures for clients: started and stopped beside the jobs, and read.
#include "base/log.h"
#include "base/text.h"
#include "plan/validate_capture.h"
#include "tester/tester.h"

namespace tester {
namespace {

constexpr size_t kChunkBytes = 1U << 20;

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

void Tester::StartCapture(const v1::Capture& request) {
  const CapturePlan plan = ValidateCapture(request, ports_.limits());
  const std::lock_guard lock(mutex_);
  captures_.Add(plan);
  Publish();
  Log(LogLevel::kInfo, "capture", {{"name", plan.name}, {"filter", request.filter()}});
}

void Tester::EndCapture(const std::shared_ptr<Capture>& capture) {
  if (capture->stopped()) return;
  capture->End(clock_.Now());
  Publish();
  capture->Gather();
}

v1::StopCaptureResponse Tester::StopCapture(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto capture = captures_.Find(name);
  EndCapture(capture);
  v1::StopCaptureResponse response;
  FillCapture(*capture, ports_, *response.mutable_counters());
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
  const std::shared_ptr<const Capture> capture = captures_.Find(name);
  if (!capture->stopped()) {
    throw Error(Code::kFailedPrecondition,
                Cat("capture ", Quote(name), " is not stopped; stop it first"));
  }
  lock.unlock();
  v1::CapturedFrames chunk;
  size_t bytes = 0;
  for (const KeptFrame& frame : capture->frames()) {
    FillFrame(frame, ports_[frame.facts.port].facts().name, *chunk.add_frames());
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
  EndCapture(captures_.Find(name));
  captures_.Remove(name);
}

}  // namespace tester
