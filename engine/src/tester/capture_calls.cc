// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Captures for clients: they are started, stopped and read independently of jobs.
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <type_traits>

#include "base/log.h"
#include "base/text.h"
#include "plan/validate_capture.h"
#include "tester/tester.h"

namespace tester {
namespace {

constexpr size_t kChunkBytes = 1U << 20;

// The layout of capture.proto.
struct PackedFacts {
  uint64_t time_ns;
  uint64_t sequence;
  uint64_t left_ns;
  uint32_t original_bytes;
  uint32_t kept_bytes;
  std::array<uint16_t, CapturedFacts::kMostEvents> events;
  uint16_t stream;
  uint16_t port;
  uint8_t transmitted;
  uint8_t fate;
  uint16_t fires;
};
static_assert(sizeof(PackedFacts) == 48);
static_assert(std::has_unique_object_representations_v<PackedFacts>);
static_assert(std::endian::native == std::endian::little);

void AppendFrame(const KeptFrame& frame, v1::CapturedFrames& out) {
  constexpr size_t kAlignment = 4;
  const CapturedFacts& facts = frame.facts;
  const PackedFacts packed = {.time_ns = facts.time_ns,
                              .sequence = facts.sequence,
                              .left_ns = facts.left_ns,
                              .original_bytes = facts.original_bytes,
                              .kept_bytes = facts.kept_bytes,
                              .events = facts.events,
                              .stream = facts.stream,
                              .port = facts.port,
                              .transmitted = facts.transmitted,
                              .fate = facts.fate,
                              .fires = facts.fires};
  std::array<char, sizeof packed> bytes;
  std::memcpy(bytes.data(), &packed, sizeof packed);
  out.mutable_facts()->append(bytes.data(), bytes.size());
  std::string& octets = *out.mutable_octets();
  octets.append(frame.bytes.begin(), frame.bytes.end());
  octets.resize((octets.size() + kAlignment - 1) / kAlignment * kAlignment);
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
  CheckStillLeased(client);  // before its filter is compiled
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
  // It survives a ForgetCapture meanwhile.
  const std::shared_ptr<const Capture> capture = captures_.Find(name);
  if (!capture->stopped()) {
    throw Error(Code::kFailedPrecondition,
                Cat("capture ", Quote(name), " is not stopped; stop it first"));
  }
  lock.unlock();
  v1::CapturedFrames chunk;
  const auto begin = [&] {
    chunk.Clear();
    for (size_t port = 0; port < ports_.size(); ++port) chunk.add_ports(ports_[port].facts().name);
    chunk.set_traced(capture->plan().keep == Lane::Keep::kTrace);
  };
  begin();
  for (const KeptFrame& frame : capture->frames()) {
    AppendFrame(frame, chunk);
    if (chunk.facts().size() + chunk.octets().size() < kChunkBytes) continue;
    if (!write(chunk)) return;
    CheckStillLeased(client);
    begin();
  }
  if (!chunk.facts().empty()) write(chunk);
}

void Tester::ForgetCapture(const std::string& name, const Client& client) {
  const std::lock_guard lock(mutex_);
  CheckLease(client);
  EndCapture(captures_.Find(name));
  captures_.Remove(name);
}

}  // namespace tester
