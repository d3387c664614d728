// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Jobs are started together, or none of them is.
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "tester/tester.h"

namespace tester {
namespace {

// From the moment a start is known to that of the first frames: workers learn of it in between.
constexpr uint64_t kStartLeadNs = 500'000;

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

struct Asked {
  uint64_t duration_ns;
  uint64_t packets;
  const std::string& by;
};

// With counters of ports for those that the job has to do with.
std::shared_ptr<JobStart> NewStart(const LoadedJob& job, size_t ports, const Asked& asked) {
  auto start = std::make_shared<JobStart>();
  start->duration_ns = asked.duration_ns;
  start->packets = asked.packets;
  start->by = asked.by;
  start->ports.resize(ports);
  const auto take = [&](uint16_t port) {
    if (!start->ports[port]) start->ports[port] = std::make_unique<PollGaps>();
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

}  // namespace

uint64_t Tester::Start(const Names& names, uint64_t duration_ns, uint64_t packets_per_stream,
                       uint64_t outage_ns, const Client& client) {
  const std::lock_guard lock(mutex_);
  CheckLease(client);
  RefuseEnded();
  const auto jobs = jobs_.Find(names);
  for (const LoadedJob* job : jobs) RefuseRunning(*job);
  for (const LoadedJob* job : jobs) AdmitRates(*job, "start");
  Runs before = RunsOf(jobs);
  Runs counting = before;
  counting.streams.clear();
  std::vector<ScheduleSegment> segments;  // in the order of streams
  for (const LoadedJob* job : jobs) {
    for (const auto& stream : job->streams) {
      segments.push_back(NewSegment(stream.plan, stream.frames));
      counting.streams.emplace_back(stream.plan, clock_.Now());
      counting.streams.back().rx->outages.SetLeast(outage_ns);
    }
  }
  ReadAhead(segments);
  try {
    std::vector<PathRun> paths;  // their memory takes time
    std::vector<StampRun> stamps;
    for (const LoadedJob* job : jobs) {
      for (const auto& path : job->paths) paths.push_back(path.NewRun(ports_, clock_));
      for (const auto& job_stamps : job->stamps) stamps.push_back(job_stamps.NewRun(clock_.Now()));
    }
    // First everybody counts anew, then everybody sends: no frame is counted on the old counters.
    Swap(jobs, counting);
    Publish();
    const uint64_t start_ns = clock_.Now() + kStartLeadNs;
    Runs sending = RunsOf(jobs);
    auto job_run = sending.jobs.begin();
    auto segment = segments.begin();
    auto stream_run = sending.streams.begin();
    auto responder_run = sending.responders.begin();
    sending.paths = std::move(paths);
    sending.stamps = std::move(stamps);
    for (const LoadedJob* job : jobs) {
      const auto start =
          NewStart(*job, ports_.size(),
                   {.duration_ns = duration_ns, .packets = packets_per_stream, .by = client.name});
      start->start_ns = start_ns;
      for (size_t i = 0; i < job->streams.size(); ++i, ++stream_run, ++segment) {
        segment->begin_ns = start_ns;
        stream_run->Send(std::move(*segment), duration_ns, packets_per_stream);
        start->streams.push_back(stream_run->tx);
      }
      for (const auto& responder : job->responders) {
        *responder_run = responder.NewRun(ports_[responder.plan->out_port]);
        const uint64_t end_us =
            duration_ns == 0 ? 0 : Microseconds(AddSaturating(start_ns, duration_ns));
        responder_run++->running->responder.Begin(Microseconds(start_ns), end_us);
      }
      *job_run = {};
      job_run++->start = start;
    }
    Log(LogLevel::kInfo, "start",
        {{"jobs", Join(names)},
         {"start_ns", static_cast<int64_t>(start_ns)},
         {"duration_ns", static_cast<int64_t>(duration_ns)},
         {"by", client.name}});
    // Nothing can go wrong any more once a worker sends.
    Swap(jobs, sending);
    Publish();
    for (LoadedJob* job : jobs) ++job->starts;
    return start_ns;
  } catch (...) {
    // Refused means that nothing has changed.
    Swap(jobs, before);
    Publish();
    throw;
  }
}

}  // namespace tester
