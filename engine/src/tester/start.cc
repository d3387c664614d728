// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Starts jobs together, or none of them.
#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "plan/refuse.h"
#include "tester/flow_memory.h"
#include "tester/tester.h"

namespace tester {
namespace {

// The time between a start and its first frames: workers adopt the program meanwhile.
constexpr uint64_t kStartLeadNs = 500'000;
constexpr uint64_t kFarthestStartNs = 10'000'000'000;

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
  for (const auto& path : job.paths) {
    if (!path.forwarding) continue;
    throw Error(Code::kFailedPrecondition,
                Cat("start: path ", Quote(path.plan->name), " of job ", Quote(job.plan.name),
                    " forwards already; stop the job first"));
  }
  for (const auto& stamps : job.stamps) {
    if (!stamps.stamping) continue;
    throw Error(Code::kFailedPrecondition,
                Cat("start: stamps ", Quote(stamps.plan->name), " of job ", Quote(job.plan.name),
                    " are given already; stop the job first"));
  }
}

// The runs of jobs from one start to the next, in the order of the jobs and their streams.
struct Runs {
  std::vector<JobRun> jobs;
  std::vector<StreamRun> streams;
  std::vector<ResponderRun> responders;
  std::vector<PathRun> paths;
  std::vector<StampRun> stamps;
};

Runs RunsOf(const std::vector<LoadedJob*>& jobs) {
  Runs runs;
  for (LoadedJob* job : jobs) {
    runs.jobs.push_back(job->run());
    for (auto& stream : job->streams) runs.streams.push_back(stream.run());
    for (auto& responder : job->responders) runs.responders.push_back(responder.run());
    for (auto& path : job->paths) runs.paths.push_back(path.run());
    for (auto& stamps : job->stamps) runs.stamps.push_back(stamps.run());
  }
  return runs;
}

void Swap(const std::vector<LoadedJob*>& jobs, Runs& runs) noexcept {
  auto run = runs.jobs.begin();
  auto stream_run = runs.streams.begin();
  auto responder_run = runs.responders.begin();
  auto path_run = runs.paths.begin();
  auto stamp_run = runs.stamps.begin();
  for (LoadedJob* job : jobs) {
    std::swap(job->run(), *run++);
    for (auto& stream : job->streams) std::swap(stream.run(), *stream_run++);
    for (auto& responder : job->responders) std::swap(responder.run(), *responder_run++);
    for (auto& path : job->paths) std::swap(path.run(), *path_run++);
    for (auto& stamps : job->stamps) std::swap(stamps.run(), *stamp_run++);
  }
}

// The instant of first frames: that which was asked for, or the earliest one.
uint64_t StartNs(uint64_t now_ns, uint64_t at_ns) {
  if (at_ns == 0) return now_ns + kStartLeadNs;
  if (at_ns < now_ns + kStartLeadNs) {
    throw Error(Code::kFailedPrecondition,
                Cat("start: the instant ", at_ns, " ns is too early; it is ", now_ns,
                    " ns, and frames can leave ", kStartLeadNs, " ns later"));
  }
  return at_ns;
}

// Testers that start at one instant count times from one base, which no frame precedes.
uint64_t BaseNs(uint64_t now_ns, uint64_t at_ns) {
  return at_ns == 0 ? now_ns : at_ns - std::min(at_ns, kMostSenderClockErrorNs);
}

struct StartRequest {
  uint64_t start_ns;
  uint64_t duration_ns;
  uint64_t packets;
  const std::string& by;
};

// With poll gaps for the ports that the job uses.
std::shared_ptr<JobStart> NewStart(const LoadedJob& job, const Ports& ports,
                                   const StartRequest& request) {
  auto start = std::make_shared<JobStart>();
  start->start_ns = request.start_ns;
  start->duration_ns = request.duration_ns;
  start->packets = request.packets;
  start->by = request.by;
  start->ports.resize(ports.size());
  const auto take = [&](uint16_t port) {
    if (port == kElsewhere) return;
    auto& queues = start->ports[port];
    while (queues.size() < ports.queues()) queues.push_back(std::make_unique<PollGaps>());
  };
  for (const auto& stream : job.streams) {
    take(stream.plan.tx_port);
    take(stream.plan.rx_port);
  }
  for (const auto& responder : job.responders) {
    take(responder.plan->port);
    take(responder.plan->out_port);
  }
  for (const auto& path : job.paths) {
    for (const uint16_t port : path.plan->Ports()) take(port);
  }
  return start;
}

// Runs of paths, stamps and responders, whose memory takes time.
struct HeldRuns {
  std::vector<PathRun> paths;
  std::vector<StampRun> stamps;
  std::vector<ResponderRun> responders;
};

HeldRuns NewHeldRuns(const std::vector<LoadedJob*>& jobs, const Ports& ports, const Clock& clock) {
  HeldRuns runs;
  for (const LoadedJob* job : jobs) {
    for (const auto& path : job->paths) runs.paths.push_back(path.NewRun(ports, clock));
    for (const auto& stamps : job->stamps) runs.stamps.push_back(stamps.NewRun(clock.Now()));
    for (const auto& responder : job->responders) {
      runs.responders.push_back(responder.NewRun(ports[responder.plan->out_port].queue(0)));
    }
  }
  return runs;
}

// The runs that send and answer. Takes the segments, in the order of streams.
void PlanSending(const std::vector<LoadedJob*>& jobs, const StartRequest& request,
                 const Ports& ports, std::vector<ScheduleSegment>& segments, Runs& runs) {
  const uint64_t end_ns =
      request.duration_ns == 0 ? 0 : AddSaturating(request.start_ns, request.duration_ns);
  auto job_run = runs.jobs.begin();
  auto segment = segments.begin();
  auto stream_run = runs.streams.begin();
  auto responder_run = runs.responders.begin();
  for (const LoadedJob* job : jobs) {
    const auto start = NewStart(*job, ports, request);
    for (const auto& stream : job->streams) {
      const auto run = stream_run++;
      auto& first = *segment++;
      if (!stream.plan.sent_here()) {
        start->arriving.insert(start->arriving.end(), run->rx.begin(), run->rx.end());
        continue;
      }
      first.begin_ns = request.start_ns;
      run->Send(std::move(first), request.duration_ns, request.packets);
      start->streams.push_back(run->tx);
    }
    for (size_t i = 0; i < job->responders.size(); ++i) {
      responder_run++->running->responder.Begin(Microseconds(request.start_ns),
                                                Microseconds(end_ns));
    }
    *job_run = {};
    job_run++->start = start;
  }
}

}  // namespace

uint64_t Tester::Start(const Names& names, uint64_t duration_ns, uint64_t packets_per_stream,
                       uint64_t outage_ns, const Client& client, uint64_t at_ns) {
  if (at_ns > clock_.Now() + kFarthestStartNs) {
    Refuse("start", "the instant ", at_ns, " ns is more than ", kFarthestStartNs, " ns ahead");
  }
  const std::lock_guard lock(mutex_);
  CheckLease(client);
  RefuseEnded();
  const auto jobs = jobs_.Find(names);
  for (const LoadedJob* job : jobs) RefuseRunning(*job);
  for (const LoadedJob* job : jobs) AdmitRates(*job, "start");
  CheckFlowMemory(jobs);
  Runs before = RunsOf(jobs);
  Runs counting = before;
  counting.streams.clear();
  std::vector<ScheduleSegment> segments;  // in the order of streams
  for (const LoadedJob* job : jobs) {
    for (const auto& stream : job->streams) {
      segments.push_back(NewSegment(stream.plan, stream.frames));
      const uint64_t now_ns = clock_.Now();
      counting.streams.emplace_back(stream.plan, ports_, now_ns, BaseNs(now_ns, at_ns));
      for (const auto& shard : counting.streams.back().rx) shard->outages.SetLeast(outage_ns);
    }
  }
  ReadAhead(segments);
  try {
    HeldRuns held = NewHeldRuns(jobs, ports_, clock_);
    // All jobs get new counters before one of them sends: old counters count no new frame.
    Swap(jobs, counting);
    Publish();
    const StartRequest request{.start_ns = StartNs(clock_.Now(), at_ns),
                               .duration_ns = duration_ns,
                               .packets = packets_per_stream,
                               .by = client.name};
    Runs sending = RunsOf(jobs);
    sending.paths = std::move(held.paths);
    sending.stamps = std::move(held.stamps);
    sending.responders = std::move(held.responders);
    PlanSending(jobs, request, ports_, segments, sending);
    fences_.OpenLease();  // one may be left of a lease that ended while a worker was stuck
    Log(LogLevel::kInfo, "start",
        {{"jobs", Join(names)},
         {"start_ns", static_cast<int64_t>(request.start_ns)},
         {"duration_ns", static_cast<int64_t>(duration_ns)},
         {"by", client.name}});
    // Nothing can fail any more once a worker sends.
    Swap(jobs, sending);
    Publish();
    for (LoadedJob* job : jobs) ++job->starts;
    return request.start_ns;
  } catch (...) {
    // Refused means that nothing has changed.
    Swap(jobs, before);
    Publish();
    throw;
  }
}

}  // namespace tester
