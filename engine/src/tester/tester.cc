// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "tester/tester.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "generator/saturate.h"
#include "log.h"
#include "text.h"

namespace tester {
namespace {

// From the moment a start is known to that of the first frames: workers learn of it in between.
constexpr uint64_t kStartLeadNs = 500'000;
constexpr uint64_t kStopLeadNs = 300'000;
// How late a stream may be to be allowed to send what it owes when it is stopped.
constexpr uint64_t kStopGraceNs = 100'000'000;
constexpr auto kStopPoll = std::chrono::microseconds(100);

void RefuseRunning(const LoadedJob& job) {
  for (const auto& stream : job.streams) {
    if (!stream.Sending()) continue;
    throw Error(Code::kFailedPrecondition,
                Cat("start: stream ", stream.plan.id, " ", Quote(stream.plan.name), " of job ",
                    Quote(job.plan.name), " is sending; stop the job first"));
  }
  for (const auto& responder : job.responders) {
    if (!responder.Answers()) continue;
    throw Error(Code::kFailedPrecondition,
                Cat("start: responder ", Quote(responder.plan->name), " of job ",
                    Quote(job.plan.name), " answers already; stop the job first"));
  }
}

bool AnySending(const std::vector<LoadedJob*>& jobs) {
  return std::any_of(jobs.begin(), jobs.end(), [](const LoadedJob* job) {
    return std::any_of(job->streams.begin(), job->streams.end(),
                       [](const LoadedStream& stream) { return stream.Sending(); });
  });
}

}  // namespace

Tester::Tester(std::vector<std::unique_ptr<Port>> ports, const WorkerPlacement& placement)
    : ports_(std::move(ports)),
      last_start_(clock_.ReadBoth()),
      loops_seen_(placement.cpus.size(), UINT64_MAX),
      inject_mutexes_(std::make_unique<std::mutex[]>(ports_.size())),
      resolve_mutexes_(std::make_unique<std::mutex[]>(ports_.size())) {
  for (const auto& port : ports_) {
    limits_.push_back(
        {.name = port->facts().name, .max_frame_bytes = port->facts().max_frame_bytes});
  }
  for (size_t i = 0; i < placement.cpus.size(); ++i) {
    workers_.push_back(std::make_unique<Worker>(static_cast<unsigned>(i + 1), placement.cpus[i],
                                                placement.shares_cpu, clock_, activity_));
    workers_.back()->Launch(MakeProgram(jobs_, retired_, ports_, i, placement.cpus.size(), epoch_));
  }
}

uint16_t Tester::PortIndex(const std::string& name, std::string_view where) const {
  return FindPort(name, limits_, where);
}

std::vector<LoadedJob*> Tester::FindJobs(const Names& names) {
  std::vector<LoadedJob*> found;
  for (const auto& name : names) {
    const auto at = jobs_.find(name);
    if (at == jobs_.end()) {
      std::vector<std::string> loaded;
      for (const auto& [loaded_name, job] : jobs_) loaded.push_back(Quote(loaded_name));
      throw Error(Code::kNotFound, Cat("no job ", Quote(name), "; loaded are ", Join(loaded)));
    }
    if (std::find(found.begin(), found.end(), at->second.get()) == found.end()) {
      found.push_back(at->second.get());
    }
  }
  return found;
}

LoadedStream& Tester::FindStream(const std::string& job, uint32_t stream_id,
                                 std::string_view where) {
  std::vector<uint16_t> ids;
  for (auto& stream : FindJobs({job}).front()->streams) {
    if (stream.plan.id == stream_id) return stream;
    ids.push_back(stream.plan.id);
  }
  throw Error(Code::kNotFound, Cat(where, ": no such stream; the job has ", Join(ids)));
}

void Tester::Publish() {
  for (const auto& [name, capture] : captures_) {
    if (!capture->running()) continue;
    for (const auto& [job_name, job] : jobs_) {
      for (const auto& stream : job->streams) capture->Know(stream.plan.id, stream.plan.name);
    }
  }
  AskWorkers([this](size_t i) {
    auto program = MakeProgram(jobs_, retired_, ports_, i, workers_.size(), epoch_);
    AddTaps(i, *program);
    workers_[i]->Adopt(std::move(program));
  });
}

void Tester::AskWorkers(const std::function<void(size_t)>& ask) {
  try {
    for (size_t i = 0; i < workers_.size(); ++i) ask(i);
  } catch (const Error& error) {
    usable_ = false;
    Log(LogLevel::kError, "stuck", {{"reason", error.what()}});
    throw;
  }
}

void Tester::Load(const v1::Job& job) {
  const std::lock_guard lock(mutex_);
  std::vector<const Job*> loaded;
  std::vector<Job> plans;
  plans.reserve(jobs_.size());
  for (const auto& [name, other] : jobs_) {
    plans.push_back(other->plan);
    for (const auto& stream : other->streams) plans.back().streams.push_back(stream.plan);
    loaded.push_back(&plans.back());
  }
  Job plan = ValidateJob(job, {.ports = limits_, .loaded = loaded});
  jobs_.emplace(plan.name, std::make_unique<LoadedJob>(plan));
  Publish();
  for (const auto& responder : jobs_.at(plan.name)->responders) {
    Log(LogLevel::kInfo, "responder",
        {{"job", plan.name},
         {"name", responder.plan->name},
         {"table", responder.plan->machine.name},
         {"runs", responder.made != nullptr ? "as code" : "interpreted"}});
  }
  Log(LogLevel::kInfo, "load",
      {{"job", plan.name},
       {"streams", static_cast<int64_t>(plan.streams.size())},
       {"responders", static_cast<int64_t>(plan.responders.size())}});
}

uint64_t Tester::Start(const Names& names, uint64_t duration_ns, uint64_t packets_per_stream,
                       uint64_t outage_ns) {
  const std::lock_guard lock(mutex_);
  const auto jobs = FindJobs(names);
  for (const LoadedJob* job : jobs) RefuseRunning(*job);
  // First everybody counts anew, then everybody sends: no frame is counted on the old counters.
  ++epoch_;
  last_start_ = clock_.ReadBoth();
  std::vector<Leg> legs;  // in the order of streams
  for (LoadedJob* job : jobs) {
    for (auto& stream : job->streams) {
      legs.push_back(NewLeg(stream.plan, stream.frames));
      stream.ResetCounters(clock_.Now());
      stream.rx->outages.SetLeast(outage_ns);
    }
  }
  for (const auto& worker : workers_) worker->ForgetInterruptions();
  Publish();
  const uint64_t start_ns = clock_.Now() + kStartLeadNs;
  auto leg = legs.begin();
  for (LoadedJob* job : jobs) {
    for (auto& stream : job->streams) {
      leg->begin_ns = start_ns;
      stream.Start(std::move(*leg++), duration_ns, packets_per_stream);
    }
    for (auto& responder : job->responders) {
      responder.Start(*ports_[responder.plan->port], start_ns, duration_ns);
    }
  }
  Publish();
  Log(LogLevel::kInfo, "start",
      {{"jobs", Join(names)},
       {"start_ns", static_cast<int64_t>(start_ns)},
       {"duration_ns", static_cast<int64_t>(duration_ns)}});
  return start_ns;
}

void Tester::StopStreams(const std::vector<LoadedJob*>& jobs) {
  // A stream that keeps up sends what is due until now, so that all that was intended was sent; one
  // that is too late to do so is cut off.
  const uint64_t end_ns = clock_.Now() + kStopLeadNs;
  bool any_ending = false;
  for (LoadedJob* job : jobs) {
    for (auto& stream : job->streams) {
      if (!stream.schedule || !stream.Sending()) continue;
      const bool late = AddSaturating(stream.tx->wake_ns.Get(), kStopGraceNs) < end_ns;
      stream.schedule = std::make_shared<const Schedule>(
          stream.schedule->EndedAt(end_ns, late ? 0 : kStopGraceNs));
      any_ending = true;
    }
  }
  if (any_ending) {
    Publish();
    while (AnySending(jobs) && clock_.Now() < end_ns + kStopGraceNs) {
      std::this_thread::sleep_for(kStopPoll);
    }
  }
  for (LoadedJob* job : jobs) {
    for (auto& stream : job->streams) stream.schedule.reset();
  }
  // A worker that has left its program knows the responders no more; then they end.
  std::vector<std::shared_ptr<Answering>> ended;
  for (LoadedJob* job : jobs) {
    for (auto& responder : job->responders) {
      ended.push_back(responder.answering);
      responder.Stop();
    }
  }
  Publish();
  for (LoadedJob* job : jobs) {
    for (auto& stream : job->streams) stream.tx->sending.store(false, std::memory_order_release);
  }
}

void Tester::Stop(const Names& names) {
  const std::lock_guard lock(mutex_);
  StopStreams(FindJobs(names));
  Log(LogLevel::kInfo, "stop", {{"jobs", Join(names)}});
}

void Tester::StopAll() {
  const std::lock_guard lock(mutex_);
  std::vector<LoadedJob*> all;
  for (const auto& [name, job] : jobs_) all.push_back(job.get());
  StopStreams(all);
}

namespace {

std::shared_ptr<const Retired> WithStreams(const Retired* before,
                                           const std::vector<LoadedJob*>& jobs) {
  std::vector<Retired::Stream> streams;
  for (const LoadedJob* job : jobs) {
    for (const auto& stream : job->streams) {
      if (!stream.plan.signature) continue;
      streams.push_back({.id = stream.plan.id, .signature_sum = stream.frames->signature_sum()});
    }
  }
  return Retired::With(before, streams);
}

}  // namespace

void Tester::Unload(const Names& names) {
  const std::lock_guard lock(mutex_);
  const auto jobs = FindJobs(names);
  StopStreams(jobs);
  LoadedJobs unloaded;  // freed once no worker knows them
  retired_ = WithStreams(retired_.get(), jobs);
  for (const LoadedJob* job : jobs) {
    unloaded.insert(jobs_.extract(job->plan.name));
  }
  Publish();
  Log(LogLevel::kInfo, "unload", {{"jobs", Join(names)}});
}

void Tester::CheckWorkers() {
  for (size_t i = 0; i < workers_.size(); ++i) {
    const uint64_t loops = workers_[i]->counters().loops.Get();
    if (std::exchange(loops_seen_[i], loops) == loops && usable_.exchange(false)) {
      Log(LogLevel::kError, "stuck", {{"cpu", int64_t{workers_[i]->cpu()}}});
    }
  }
}

}  // namespace tester
