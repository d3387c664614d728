// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "tester/tester.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/log.h"
#include "base/run_apart.h"
#include "base/saturate.h"
#include "base/text.h"

namespace tester {
namespace {

constexpr uint64_t kStopLeadNs = 300'000;
// How late a stream may be to be allowed to send what it owes when it is stopped.
constexpr uint64_t kStopGraceNs = 100'000'000;
// How long the ends of open flows are waited for.
constexpr uint64_t kLongestEndNs = 1'000'000'000;
constexpr auto kStopPoll = std::chrono::microseconds(100);
// Jobs that are gone, so that those who miss them learn who has unloaded them.
constexpr size_t kMostUnloaded = 256;
// In vain, until a worker is stuck.
constexpr unsigned kLooks = 2;

bool AnySending(const std::vector<LoadedJob*>& jobs) {
  return std::any_of(jobs.begin(), jobs.end(), [](const LoadedJob* job) {
    return std::any_of(job->streams.begin(), job->streams.end(),
                       [](const LoadedStream& stream) { return stream.Sending(); });
  });
}

}  // namespace

Tester::Tester(std::vector<std::unique_ptr<Port>> ports, const WorkerPlacement& placement)
    : ports_(std::move(ports)),
      opened_(clock_.ReadBoth()),
      looks_(placement.cpus.size()),
      inject_mutexes_(std::make_unique<std::mutex[]>(ports_.size())),
      resolve_mutexes_(std::make_unique<std::mutex[]>(ports_.size())) {
  for (const auto& port : ports_) {
    limits_.push_back(
        {.name = port->facts().name, .max_frame_bytes = port->facts().max_frame_bytes});
  }
  for (size_t i = 0; i < placement.cpus.size(); ++i) {
    workers_.push_back(std::make_unique<Worker>(static_cast<unsigned>(i + 1), placement.cpus[i],
                                                placement.shares_cpu, clock_, activity_));
    workers_.back()->Launch(MakeProgram(jobs_, retired_, ports_, i, placement.cpus.size()));
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
      const auto gone = std::find_if(unloaded_.rbegin(), unloaded_.rend(),
                                     [&](const auto& unloaded) { return unloaded.first == name; });
      throw Error(Code::kNotFound,
                  Cat("no job ", Quote(name),
                      gone == unloaded_.rend() ? "" : Cat("; it was unloaded by ", gone->second),
                      "; loaded are ", Join(loaded)));
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
  std::vector<std::unique_ptr<Program>> programs;
  for (size_t i = 0; i < workers_.size(); ++i) {
    programs.push_back(MakeProgram(jobs_, retired_, ports_, i, workers_.size()));
    AddTaps(i, *programs.back());
  }
  AskWorkers([&](size_t i) { workers_[i]->SwapProgram(std::move(programs[i])); });
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

void Tester::RefuseEnded() const {
  if (ended_by_.empty()) return;
  throw Error(Code::kAborted, Cat("the tester was told to end by ", ended_by_));
}

void Tester::GiveUpIfEnded() {
  const std::lock_guard lock(mutex_);
  RefuseEnded();
}

void Tester::Load(const v1::Job& job) {
  // A file to be sent is read through, which may take long, or for ever: nobody else waits for it.
  const bool replays = std::ranges::any_of(
      job.streams(), [](const auto& stream) { return stream.departures().has_replay(); });
  Job plan = replays ? RunApart([job, ports = limits_] { return ValidateJob(job, ports); },
                                [this] { GiveUpIfEnded(); })
                     : ValidateJob(job, limits_);
  const std::lock_guard lock(mutex_);
  RefuseEnded();
  std::vector<const Job*> loaded;
  std::vector<Job> plans;
  plans.reserve(jobs_.size());
  for (const auto& [name, other] : jobs_) {
    plans.push_back(other->plan);
    for (const auto& stream : other->streams) plans.back().streams.push_back(stream.plan);
    loaded.push_back(&plans.back());
  }
  CheckBeside(plan, {.ports = limits_, .loaded = loaded});
  const auto at = jobs_.emplace(plan.name, std::make_unique<LoadedJob>(plan)).first;
  try {
    Publish();
  } catch (...) {
    jobs_.erase(at);
    throw;
  }
  for (const auto& responder : jobs_.at(plan.name)->responders) {
    Log(LogLevel::kInfo, "responder",
        {{"job", plan.name},
         {"name", responder.plan->name},
         {"table", responder.plan->machine.name},
         {"runs", responder.compiled != nullptr ? "as code" : "interpreted"}});
  }
  Log(LogLevel::kInfo, "load",
      {{"job", plan.name},
       {"streams", static_cast<int64_t>(plan.streams.size())},
       {"responders", static_cast<int64_t>(plan.responders.size())}});
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
}

Responders Tester::StopJobs(const std::vector<LoadedJob*>& jobs, const std::string& by,
                            OpenFlows open_flows) {
  for (LoadedJob* job : jobs) job->NoteStop(clock_.Now(), by);
  StopStreams(jobs);
  // A worker that has left its program knows the responders no more; then they end.
  Responders stopped;
  Responders ending;
  for (LoadedJob* job : jobs) {
    for (auto& responder : job->responders) {
      if (open_flows == OpenFlows::kEnd && responder.Answers() &&
          responder.running->responder.ends_flows()) {
        responder.running->asked_to_stop.store(true, std::memory_order_relaxed);
        ending.push_back(responder.running);
        continue;
      }
      stopped.push_back(responder.running);
      responder.Stop();
    }
  }
  Publish();
  for (LoadedJob* job : jobs) {
    for (auto& stream : job->streams) stream.tx->sending.store(false, std::memory_order_release);
  }
  return ending;
}

void Tester::AwaitEnd(const Responders& ending) {
  const auto all_stopped = [&ending] {
    return std::ranges::all_of(ending, [](const auto& running) {
      return running->stopped.load(std::memory_order_relaxed);
    });
  };
  const uint64_t end_ns = clock_.Now() + kLongestEndNs;
  while (!all_stopped() && clock_.Now() < end_ns && EndedBy().empty()) {
    std::this_thread::sleep_for(kStopPoll);
  }
  const std::lock_guard lock(mutex_);
  // Others may have unloaded the jobs meanwhile.
  Responders stopped;
  for (const auto& [name, job] : jobs_) {
    for (auto& responder : job->responders) {
      if (std::ranges::find(ending, responder.running) == ending.end()) continue;
      stopped.push_back(responder.running);
      responder.Stop();
    }
  }
  Publish();
}

void Tester::Stop(const Names& names, const std::string& by, OpenFlows open_flows) {
  Responders ending;
  {
    const std::lock_guard lock(mutex_);
    ending = StopJobs(FindJobs(names), by, open_flows);
  }
  // Nobody else waits for it; and where the tester is told to end, it ends.
  if (!ending.empty()) AwaitEnd(ending);
  Log(LogLevel::kInfo, "stop", {{"jobs", Join(names)}, {"by", by}});
}

void Tester::End(const std::string& by) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_by_.empty()) ended_by_ = by;
    std::vector<LoadedJob*> all;
    for (const auto& [name, job] : jobs_) {
      job->plan.neighbours.clear();  // nobody is answered any more
      all.push_back(job.get());
    }
    StopJobs(all, by, OpenFlows::kAbandon);
  }
  // Single frames that had been asked for before have left, or were withdrawn.
  for (size_t i = 0; i < ports_.size(); ++i) {
    const std::lock_guard lock(inject_mutexes_[i]);
  }
}

std::string Tester::EndedBy() {
  const std::lock_guard lock(mutex_);
  return ended_by_;
}

namespace {

std::shared_ptr<const Retired> WithStreams(const Retired* before,
                                           const std::vector<LoadedJob*>& jobs) {
  std::vector<Retired::Stream> streams;
  for (const LoadedJob* job : jobs) {
    for (const auto& stream : job->streams) {
      if (!stream.plan.contents.signature) continue;
      streams.push_back({.id = stream.plan.id, .signature_sum = stream.frames->signature_sum()});
    }
  }
  return Retired::With(before, streams);
}

}  // namespace

void Tester::Unload(const Names& names, const std::string& by) {
  const std::lock_guard lock(mutex_);
  const auto jobs = FindJobs(names);
  StopJobs(jobs, by, OpenFlows::kAbandon);
  LoadedJobs unloaded;  // freed once no worker knows them
  retired_ = WithStreams(retired_.get(), jobs);
  for (const LoadedJob* job : jobs) {
    unloaded_.emplace_back(job->plan.name, by.empty() ? "somebody" : by);
    unloaded.insert(jobs_.extract(job->plan.name));
  }
  while (unloaded_.size() > kMostUnloaded) unloaded_.pop_front();
  Publish();
  Log(LogLevel::kInfo, "unload", {{"jobs", Join(names)}, {"by", by}});
}

void Tester::CheckWorkers() {
  bool stuck = false;
  for (size_t i = 0; i < workers_.size(); ++i) {
    Look& look = looks_[i];
    const uint64_t loops = workers_[i]->counters().loops.Get();
    look.in_vain = std::exchange(look.loops, loops) == loops ? look.in_vain + 1 : 0;
    if (look.in_vain >= kLooks) {
      stuck = true;
      if (!stuck_) Log(LogLevel::kError, "stuck", {{"cpu", int64_t{workers_[i]->cpu()}}});
    }
  }
  if (stuck_.exchange(stuck) && !stuck) Log(LogLevel::kInfo, "moves again");
}

}  // namespace tester
