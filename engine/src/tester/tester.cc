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
#include "tester/flow_memory.h"

namespace tester {
namespace {

constexpr uint64_t kStopLeadNs = 300'000;
// The longest delay with which a stopped stream may still send its owed frames.
constexpr uint64_t kStopGraceNs = 100'000'000;
// How long the ends of open flows are waited for.
constexpr uint64_t kLongestEndNs = 1'000'000'000;
constexpr auto kStopPoll = std::chrono::microseconds(100);

bool AnySending(const std::vector<LoadedJob*>& jobs) {
  return std::any_of(jobs.begin(), jobs.end(), [](const LoadedJob* job) {
    return std::any_of(job->streams.begin(), job->streams.end(),
                       [](const LoadedStream& stream) { return stream.Sending(); });
  });
}

}  // namespace

Tester::Tester(std::vector<std::unique_ptr<Port>> ports, const WorkerPlacement& placement,
               bool lease_required, const std::shared_ptr<const Policy>& policy)
    : opened_(clock_.ReadBoth()),
      ports_(std::move(ports), placement.cpus.size(), policy),
      workers_(placement, clock_),
      single_frames_(ports_, workers_,
                     [this](const Client& client, uint16_t port, uint64_t frames, uint64_t bytes) {
                       CheckAdmitted(client, port, frames, bytes);
                     }),
      captures_({.workers = workers_.size(), .ports = ports_.size(), .clock = clock_}),
      queries_(workers_.size(), ports_.size()),
      lease_(lease_required),
      rates_(ports_),
      fences_(ports_) {
  workers_.Launch(MakePrograms());
}

Workers::Programs Tester::MakePrograms() const {
  Workers::Programs programs;
  for (size_t i = 0; i < workers_.size(); ++i) {
    programs.push_back(MakeProgram(jobs_.loaded(), jobs_.retired(), ports_, i));
    for (QueueProgram& program : programs.back()->queues) {
      auto taps = std::make_unique<PortTaps>(PortTaps{.clock = &clock_, .port = program.port});
      captures_.AddTaps(i, *taps);
      captures_.AddTrace(program);
      queries_.AddTaps(jobs_.loaded(), i, *taps);
      queries_.AddGaps(i, program.port, *program.gaps);
      if (!taps->empty()) program.taps = std::move(taps);
    }
  }
  return programs;
}

void Tester::Publish() {
  captures_.Know(jobs_.loaded());
  workers_.Swap(MakePrograms());
}

void Tester::RefuseEnded() const {
  if (ended_by_.empty()) return;
  throw Error(Code::kAborted, Cat("the tester was told to end by ", ended_by_));
}

void Tester::CheckLease(const Client& client) const { lease_.Check(client, Lease::Clock::now()); }

void Tester::CheckReader(const Client& client) const {
  if (!client.observes || !client.token.empty()) CheckLease(client);
}

void Tester::CheckStillLeased(const Client& client) {
  const std::lock_guard lock(mutex_);
  CheckLease(client);
}

void Tester::CheckAdmitted(const Client& client) {
  const std::lock_guard lock(mutex_);
  CheckLease(client);
  RefuseEnded();
}

void Tester::CheckAdmitted(const Client& client, uint16_t port, uint64_t frames, uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  CheckLease(client);
  RefuseEnded();
  rates_.Admit(port, frames, bytes, clock_.Now(), "inject");
}

void Tester::Load(const v1::Job& job, const Client& client) {
  CheckAdmitted(client);
  // The file is read to its end, which may take long or endlessly: no other call waits for it.
  const bool replays = std::ranges::any_of(
      job.streams(), [](const auto& stream) { return stream.departures().has_replay(); });
  Job plan = replays ? RunApart([job, ports = ports_.limits()] { return ValidateJob(job, ports); },
                                [this, &client] { CheckAdmitted(client); })
                     : ValidateJob(job, ports_.limits());
  CheckFlowMemory(plan);
  const std::lock_guard lock(mutex_);
  CheckLease(client);
  RefuseEnded();
  LoadedJob& loaded = jobs_.Load(plan, ports_);
  loaded.lease = lease_.Number();
  try {
    Publish();
  } catch (...) {
    jobs_.Withdraw(plan.name);
    throw;
  }
  for (const auto& responder : loaded.responders) {
    Log(LogLevel::kInfo, "responder",
        {{"job", plan.name},
         {"name", responder.plan->name},
         {"table", responder.plan->machine.name},
         {"runs", responder.compiled != nullptr ? "as code" : "interpreted"}});
  }
  Log(LogLevel::kInfo, "load",
      {{"job", plan.name},
       {"streams", static_cast<int64_t>(plan.streams.size())},
       {"responders", static_cast<int64_t>(plan.responders.size())},
       {"paths", static_cast<int64_t>(plan.paths.size())}});
}

void Tester::StopStreams(const std::vector<LoadedJob*>& jobs) {
  // A stream that keeps up sends its frames due until now, so that it sends all intended ones; a
  // later one is cut off.
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
  // Responders end when no worker uses them any more.
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
    for (auto& path : job->paths) {
      path.forwarding = false;
      path.links.reset();
    }
    for (auto& stamps : job->stamps) stamps.Stop();
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
  const bool ended = all_stopped();
  // Another client may have unloaded the jobs meanwhile.
  Responders stopped;
  for (LoadedJob* job : jobs_.All()) {
    for (auto& responder : job->responders) {
      if (std::ranges::find(ending, responder.running) == ending.end()) continue;
      stopped.push_back(responder.running);
      responder.Stop();
    }
  }
  Publish();
  // The caller of a stop that did not end the flows must not expect them to be closed.
  if (!ended) RefuseEnded();
}

void Tester::Stop(const Names& names, const Client& client, OpenFlows open_flows) {
  Responders ending;
  {
    const std::lock_guard lock(mutex_);
    CheckLease(client);
    ending = StopJobs(jobs_.Find(names), client.name, open_flows);
  }
  // No other call waits for it; the wait ends with the tester.
  if (!ending.empty()) AwaitEnd(ending);
  Log(LogLevel::kInfo, "stop", {{"jobs", Join(names)}, {"by", client.name}});
}

void Tester::End(const std::string& by) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_by_.empty()) ended_by_ = by;
    const std::vector<LoadedJob*> all = jobs_.All();
    // No neighbour gets an answer any more.
    for (LoadedJob* job : all) job->plan.neighbours.clear();
    StopJobs(all, by, OpenFlows::kAbandon);
  }
  single_frames_.Finish();
}

void Tester::Shutdown(const Client& client) {
  {
    const std::lock_guard lock(mutex_);
    CheckLease(client);
  }
  End(client.name);
}

std::string Tester::EndedBy() {
  const std::lock_guard lock(mutex_);
  return ended_by_;
}

void Tester::Unload(const Names& names, const Client& client) {
  const std::lock_guard lock(mutex_);
  CheckLease(client);
  const auto jobs = jobs_.Find(names);
  StopJobs(jobs, client.name, OpenFlows::kAbandon);
  const LoadedJobs unloaded = jobs_.Unload(jobs, client.name);  // freed once no worker knows them
  Publish();
  Log(LogLevel::kInfo, "unload", {{"jobs", Join(names)}, {"by", client.name}});
}

}  // namespace tester
