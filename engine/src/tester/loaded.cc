// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "tester/loaded.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "compiled_tables/compiled_tables.h"

namespace tester {
namespace {

constexpr auto kMostAhead = std::chrono::milliseconds(200);

std::shared_ptr<const NeighbourTable> NeighboursOf(uint16_t port, const LoadedJobs& jobs) {
  std::vector<Neighbour> neighbours;
  for (const auto& [name, job] : jobs) {
    for (const auto& plan : job->plan.neighbours) {
      if (plan.port == port) neighbours.push_back(plan.neighbour);
    }
  }
  return std::make_shared<const NeighbourTable>(std::move(neighbours));
}

// A queue of a port, and the worker that serves it.
struct QueuePlace {
  uint16_t port;
  size_t queue;
  size_t queues;  // of the port
  size_t worker;
};

// A stream leaves by one queue.
std::vector<SendEntry> SendersOf(const QueuePlace& place, const LoadedJobs& jobs) {
  std::vector<SendEntry> entries;
  for (const auto& [name, job] : jobs) {
    for (const auto& stream : job->streams) {
      if (stream.plan.tx_port != place.port || stream.plan.id % place.queues != place.queue)
        continue;
      if (!stream.schedule || !stream.Sending()) continue;
      entries.emplace_back(stream.plan.id, stream.schedule, stream.sender, stream.tx);
    }
  }
  return entries;
}

Expected ExpectedOf(const LoadedStream& stream, size_t worker) {
  return {.counters = stream.rx[worker].get(),
          .sent = stream.plan.sent_here() ? stream.tx.get() : nullptr,
          .start_ns = stream.counters_since_ns,
          .base_ns = stream.base_ns,
          .sender_ahead_ns = static_cast<uint64_t>(stream.plan.sender_clock.ahead_ns),
          .most_ahead_ns = kMostAheadNs + stream.plan.sender_clock.within_ns,
          .integrity = stream.plan.measurement.integrity.get(),
          .fields = stream.fields.get(),
          .replayed = stream.plan.replay ? stream.plan.replay->summary.signatures.get() : nullptr,
          .numbered = stream.numbered,
          .version = stream.plan.measurement.version,
          .signature_sum = stream.frames->signature_sum(),
          .rx_port = stream.plan.rx_port,
          .stream_id = stream.plan.id};
}

// Any worker may receive frames with a signature; frames without one are expected on one port.
void ExpectStreams(const LoadedJobs& jobs, const std::shared_ptr<const Retired>& retired,
                   size_t worker, Program& program) {
  auto classifier = std::make_shared<Classifier>();
  classifier->Remember(retired);
  for (const auto& [name, job] : jobs) {
    for (const auto& stream : job->streams) {
      program.kept.insert(program.kept.end(), {stream.rx[worker], stream.tx,
                                               stream.plan.measurement.integrity, stream.fields});
      if (stream.plan.replay) program.kept.push_back(stream.plan.replay->summary.signatures);
      if (stream.plan.contents.signature)
        classifier->Add(stream.plan.id, ExpectedOf(stream, worker));
    }
  }
  program.classifier = std::move(classifier);
}

// Workers that wait for frames of other testers do not rest.
void AwaitArrivals(const LoadedJobs& jobs, Program& program) {
  for (const auto& [name, job] : jobs) {
    if (!job->start || job->start->arriving.empty()) continue;
    program.awaits_arrivals = true;
    program.awaits_until_ns =
        std::max(program.awaits_until_ns, job->start->start_ns + JobStart::kDrainNs);
  }
}

Responders RespondersOf(uint16_t port, const LoadedJobs& jobs) {
  Responders responders;
  for (const auto& [name, job] : jobs) {
    for (const auto& responder : job->responders) {
      if (responder.plan->port == port && responder.Answers()) {
        responders.push_back(responder.running);
      }
    }
  }
  return responders;
}

// Adds stamps to a direction of a path, if its job has some.
void AddStamps(const PathName& name, const LoadedJobs& jobs, PathEnd& end) {
  for (const auto& [job_name, job] : jobs) {
    for (const auto& stamps : job->stamps) {
      if (!stamps.running) continue;
      const auto& directions = stamps.running->directions;
      if (stamps.plan->before == name) {
        (end.direction == 0 ? end.departing : end.arriving) = directions[end.direction].get();
      } else if (stamps.plan->behind == name) {
        (end.direction == 0 ? end.arriving : end.departing) = directions[end.direction].get();
      } else {
        continue;
      }
      end.stamps = stamps.running;
    }
  }
}

// The direction of the path that begins on this port.
PathEnd BeginOf(const LoadedPath& path, const std::string& job, uint16_t port,
                const LoadedJobs& jobs, const Ports& ports) {
  const PathPlan& plan = *path.plan;
  const size_t direction = port == plan.second_port ? 1 : 0;
  PathEnd end{.running = path.running,
              .direction = direction,
              .in = &ports[port].queue(0),
              .out = &ports[direction == 0 ? plan.second_port : plan.first_port].queue(0),
              .plan = path.plan};
  const std::vector<uint16_t> first = plan.FirstPorts();
  if (direction == 0) {
    end.station_port = static_cast<size_t>(std::ranges::find(first, port) - first.begin());
  } else if (first.size() > 1) {
    for (const uint16_t out : first) end.outs.push_back(&ports[out].queue(0));
  }
  AddStamps({.job = job, .path = plan.name}, jobs, end);
  return end;
}

// The path that begins on a port, if one forwards.
PathEnd PathOf(uint16_t port, const LoadedJobs& jobs, const Ports& ports) {
  for (const auto& [name, job] : jobs) {
    for (const auto& path : job->paths) {
      if (path.forwarding && path.plan->Has(port)) return BeginOf(path, name, port, jobs, ports);
    }
  }
  return {};
}

Matcher MatcherOf(const QueuePlace& place, const LoadedJobs& jobs) {
  Matcher matcher;
  for (const auto& [name, job] : jobs) {
    for (const auto& stream : job->streams) {
      const Matches& matches = stream.plan.measurement.matches;
      if (stream.plan.rx_port == place.port && !matches.empty()) {
        matcher.Add(matches, ExpectedOf(stream, place.worker));
      }
    }
  }
  return matcher;
}

std::unique_ptr<GapWatch> GapsOf(const QueuePlace& place, const LoadedJobs& jobs) {
  const uint16_t port = place.port;
  auto watch = std::make_unique<GapWatch>();
  for (const auto& [name, job] : jobs) {
    const std::shared_ptr<const JobStart>& start = job->start;
    if (!start || start->ports[port].empty()) continue;
    const bool answers = std::any_of(
        job->responders.begin(), job->responders.end(),
        [&](const auto& responder) { return responder.Answers() && responder.plan->port == port; });
    const bool forwards = std::ranges::any_of(job->paths, [&](const LoadedPath& path) {
      return path.forwarding && path.plan->Has(port);
    });
    watch->Add({.owner = start,
                .gaps = start->ports[port][place.queue].get(),
                .since_ns = start->start_ns,
                .job = answers || forwards ? nullptr : start.get()});
  }
  return watch;
}

}  // namespace

StreamRun::StreamRun(const StreamPlan& plan, const Ports& ports, uint64_t now_ns, uint64_t base_ns)
    : tx(std::make_shared<StreamTx>()),
      rx(ports.workers()),
      counters_since_ns(now_ns),
      base_ns(base_ns) {
  for (auto& shard : rx) shard = std::make_shared<StreamRx>();
  tx->has_version = plan.measurement.version.exists();
  tx->base_ns = base_ns;
  if (const uint32_t flows = plan.measurement.flows) {
    rx[ports.FirstWorkerOf(plan.rx_port)]->flows = std::make_unique<Flows>(flows);
  }
  if (const auto& expected = plan.measurement.fields) {
    fields = std::make_shared<FieldWatch>(expected);
  }
}

StreamShards StreamRun::Shards() const {
  StreamShards shards;
  for (const auto& shard : rx) shards.push_back(shard.get());
  return shards;
}

LoadedStream::LoadedStream(StreamPlan stream_plan, const Ports& ports)
    : StreamRun(stream_plan, ports, 0, 0),
      plan(std::move(stream_plan)),
      frames(std::make_shared<const Frames>(plan.contents)) {}

ScheduleSegment NewSegment(const StreamPlan& plan, const std::shared_ptr<const Frames>& frames) {
  ScheduleSegment segment{.begin_ns = 0,
                          .departures = plan.departures,
                          .frames = frames,
                          .cursor = std::make_shared<Cursor>()};
  if (plan.replay) {
    const auto feed = std::make_shared<ReplayFeed>(*plan.replay);
    segment.departures = std::make_shared<const Departures>(plan.replay->offset_ns, Replayed(feed));
    segment.frames = std::make_shared<const Frames>(feed);
  }
  return segment;
}

void ReadAhead(std::span<const ScheduleSegment> segments) {
  const auto deadline = std::chrono::steady_clock::now() + kMostAhead;
  for (const ScheduleSegment& segment : segments) {
    if (const ReplayFeed* feed = segment.frames->feed()) feed->AwaitAhead(deadline);
  }
}

void StreamRun::Send(ScheduleSegment segment, uint64_t duration_ns, uint64_t packets) {
  const uint64_t start_ns = segment.begin_ns;
  if (const ReplayFeed* feed = segment.frames->feed()) fault = feed->fault();
  schedule = std::make_shared<const Schedule>(std::move(segment), duration_ns, packets);
  sender = std::make_shared<Sender>(*schedule);
  tx->wake_ns.Set(start_ns);
  tx->sending.store(true, std::memory_order_release);
}

ResponderRun::ResponderRun(const machine::ResponderPlan& plan)
    : counters(std::make_shared<ResponderCounters>(plan.machine.counters.size(),
                                                   plan.machine.histograms.size())) {}

LoadedResponder::LoadedResponder(std::shared_ptr<const machine::ResponderPlan> responder_plan)
    : ResponderRun(*responder_plan),
      plan(std::move(responder_plan)),
      compiled(machine::FindCompiledTable(plan->machine)) {}

ResponderRun LoadedResponder::NewRun(PortQueue& queue) const {
  ResponderRun run(*plan);
  run.running = std::make_shared<RunningResponder>(plan, compiled, run.counters, queue);
  return run;
}

void LoadedResponder::Stop() {
  running.reset();
  counters->opening.store(false, std::memory_order_relaxed);
}

bool LoadedResponder::Sending() const {
  if (!Answers() || !plan->opening) return false;
  if (counters->opening.load(std::memory_order_relaxed)) return true;
  return plan->opening->total != 0 && counters->flows.Get() > 0;
}

bool LoadedResponder::Ending() const {
  return running != nullptr && running->asked_to_stop.load(std::memory_order_relaxed);
}

PathRun LoadedPath::NewRun(const Ports& ports, const Clock& clock) const {
  PathRun run{.running = std::make_shared<RunningPath>(*plan), .forwarding = true, .links = {}};
  if (!run.running->events.link_cuts().empty())
    run.links = std::make_shared<LinkKeeper>(*plan, run.running, ports, clock);
  return run;
}

void LoadedStamps::Stop() {
  stamping = false;
  if (!running) return;
  for (const auto& direction : running->directions) {
    if (direction != nullptr) direction->End();
  }
}

bool LoadedJob::Answers() const {
  return std::ranges::any_of(paths, &LoadedPath::forwarding) ||
         std::ranges::any_of(stamps, &LoadedStamps::stamping) ||
         std::any_of(responders.begin(), responders.end(), [](const LoadedResponder& responder) {
           return responder.Answers() && !responder.Ending();
         });
}

void LoadedJob::NoteStop(uint64_t now_ns, const std::string& by) {
  std::vector<uint16_t> sending;
  for (const auto& stream : streams) {
    if (stream.schedule && stream.Sending()) sending.push_back(stream.plan.id);
  }
  if (sending.empty() && !Answers()) return;
  stopped_at_ns = now_ns;
  stopped_by = by;
  stopped_streams = std::move(sending);
}

LoadedJob::LoadedJob(Job job, const Ports& ports) : plan(std::move(job)) {
  for (const auto& responder : plan.responders) responders.emplace_back(responder);
  for (const auto& path : plan.paths) paths.emplace_back(path);
  for (const auto& stamp_plan : plan.stamps) stamps.emplace_back(stamp_plan);
  for (auto& stream : std::exchange(plan.streams, {})) {
    streams.emplace_back(std::move(stream), ports);
  }
}

std::unique_ptr<Program> MakeProgram(const LoadedJobs& jobs,
                                     const std::shared_ptr<const Retired>& retired,
                                     const Ports& ports, size_t worker) {
  auto program = std::make_unique<Program>();
  ExpectStreams(jobs, retired, worker, *program);
  AwaitArrivals(jobs, *program);
  for (size_t slot = worker; slot < ports.size() * ports.queues(); slot += ports.workers()) {
    const QueuePlace place{.port = static_cast<uint16_t>(slot / ports.queues()),
                           .queue = slot % ports.queues(),
                           .queues = ports.queues(),
                           .worker = worker};
    std::vector<SendEntry> streams = SendersOf(place, jobs);
    auto due = std::make_unique<DueQueue>(streams.size());
    program->queues.push_back({.queue = &ports[place.port].queue(place.queue),
                               .port = place.port,
                               .streams = std::move(streams),
                               .due = std::move(due),
                               .neighbours = NeighboursOf(place.port, jobs),
                               .matcher = MatcherOf(place, jobs),
                               .taps = nullptr,
                               .responders = RespondersOf(place.port, jobs),
                               .path = PathOf(place.port, jobs, ports),
                               .gaps = GapsOf(place, jobs)});
  }
  return program;
}

}  // namespace tester
