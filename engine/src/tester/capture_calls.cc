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

void FillTraced(const KeptFrame& frame, v1::TracedFrame& out) {
  out.set_left_ns(frame.facts.left_ns);
  out.set_fate(static_cast<v1::TracedFrame::Fate>(frame.facts.fate));
  for (const uint16_t event : frame.facts.events) {
    if (event != 0) out.add_events(event - 1U);
  }
}

const LoadedPath& FindPath(const Jobs& jobs, const v1::TracedPath& traced) {
  for (const auto& path : jobs.Find({traced.job()}).front()->paths) {
    if (path.plan->name == traced.path()) return path;
  }
  throw Error(Code::kNotFound,
              Cat("job ", Quote(traced.job()), " has no path ", Quote(traced.path())));
}

}  // namespace

void Tester::StartCapture(const v1::Capture& request, const Client& client) {
  CapturePlan plan =
      request.has_traced() ? CapturePlan{} : ValidateCapture(request, ports_.limits());
  const std::lock_guard lock(mutex_);
  CheckLease(client);
  if (request.has_traced()) {
    const auto& path = FindPath(jobs_, request.traced()).plan;
    plan = ValidateTrace(request, *path, ports_.limits());
    plan.lease = lease_.Number();
    captures_.AddTrace(plan, path);
  } else {
    plan.lease = lease_.Number();
    captures_.Add(plan);
  }
  Publish();
  Log(LogLevel::kInfo, "capture",
      {{"name", request.name()}, {"filter", request.filter()}, {"path", request.traced().path()}});
}

void Tester::EndCapture(const std::shared_ptr<Capture>& capture) {
  if (capture->stopped()) return;
  capture->End(clock_.Now());
  Publish();
  capture->Gather();
}

v1::StopCaptureResponse Tester::StopCapture(const std::string& name, const Client& client) {
  const std::lock_guard lock(mutex_);
  CheckLease(client);
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
                         const std::function<bool(const v1::CapturedFrames&)>& write,
                         const Client& client) {
  std::unique_lock lock(mutex_);
  CheckLease(client);
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
    auto& out = *chunk.add_frames();
    FillFrame(frame, ports_[frame.facts.port].facts().name, out);
    if (capture->plan().keep == Lane::Keep::kTrace) FillTraced(frame, *out.mutable_traced());
    bytes += sizeof frame + frame.bytes.size();
    if (bytes < kChunkBytes) continue;
    if (!write(chunk)) return;
    chunk.Clear();
    bytes = 0;
  }
  if (chunk.frames_size() > 0) write(chunk);
}

void Tester::ForgetCapture(const std::string& name, const Client& client) {
  const std::lock_guard lock(mutex_);
  CheckLease(client);
  EndCapture(captures_.Find(name));
  captures_.Remove(name);
}

}  // namespace tester
