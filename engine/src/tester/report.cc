// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Reports of the tester: information, progress and snapshots.
#include <rte_version.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "plan/paths/validate_path.h"
#include "plan/paths/validate_stamps.h"
#include "plan/validate_capture.h"
#include "plan/validate_measurement.h"
#include "plan/validate_query.h"
#include "plan/validate_responder.h"
#include "snapshot/merge.h"
#include "snapshot/merge_path.h"
#include "snapshot/merge_responder.h"
#include "snapshot/merge_stamps.h"
#include "tester/tester.h"
#include "tester/usage.h"
#include "version.h"

namespace tester {
namespace {

void FillPortInfo(const Port& port, v1::Port& out) {
  const PortFacts& facts = port.facts();
  out.set_name(facts.name);
  out.set_driver(facts.driver);
  out.set_driver_reason(facts.driver_reason);
  out.set_mac(facts.mac.data(), facts.mac.size());
  out.set_link_speed_bps(port.LinkSpeed());
  out.set_link_up(port.LinkUp());
  out.set_max_frame_bytes(facts.max_frame_bytes);
  out.set_interface(facts.interface);
  for (const auto& note : facts.notes) out.add_notes(note);
  if (const auto rehearses = port.Rehearses()) out.set_rehearses(*rehearses);
}

void FillReading(const PortReading& reading, v1::PortCounters& out) {
  out.set_rx_missed(reading.missed);
  out.set_kernel_dropped(reading.kernel_dropped);
  out.set_link_downs(reading.link.downs);
  out.set_link_up(reading.link.up);
  if (reading.receive_errors) out.set_rx_errors(*reading.receive_errors);
  if (reading.send_errors) out.set_tx_errors(*reading.send_errors);
  if (reading.held) out.set_tx_held(*reading.held);
  if (reading.pauses) out.set_rx_pause(*reading.pauses);
  out.set_obeys_pause(reading.obeys_pauses);
  if (reading.unseen) out.set_rx_unseen(*reading.unseen);
}

// Waits for frames that are counted then.
void FillReadings(const Ports& ports, const Workers& workers, v1::Snapshot& snapshot) {
  for (size_t i = 0; i < ports.size(); ++i) {
    std::vector<const WorkerCounters*> counters;
    for (size_t queue = 0; queue < ports.queues(); ++queue) {
      counters.push_back(&workers[ports.WorkerOf(i, queue)].counters());
    }
    Port& port = ports[i];
    auto& out = *snapshot.add_ports();
    out.set_name(port.facts().name);
    FillReading(port.Read(counters), out);
    for (const auto& objection : port.facts().objections) out.add_objections(objection);
  }
}

// The sum comes from the same readings, as a worker may go on counting. Which frames arrived behind
// others is known where one worker has received all of a port.
void FillMisrouted(const StreamShards& shards, const Ports& ports, v1::StreamCounters& out) {
  uint64_t sum = 0;
  bool known = true;
  for (uint32_t port = 0; port < ports.size(); ++port) {
    uint64_t of_port = 0;
    uint64_t damaged = 0;
    uint64_t behind = 0;
    for (const StreamRx* const shard : shards) {
      const uint64_t frames = shard->misrouted.On(port);
      known &= frames == 0 || of_port == 0;
      of_port += frames;
      damaged += shard->misrouted.DamagedOn(port);
      behind += shard->misrouted.BehindOn(port);
    }
    if (of_port == 0) continue;
    out.add_rx_misrouted_ports(ports[port].facts().name);
    out.add_rx_misrouted_by_port(of_port);
    out.add_rx_misrouted_behind(behind);
    out.add_rx_misrouted_damaged(damaged);
    sum += of_port;
  }
  if (!known) out.clear_rx_misrouted_behind();
  out.set_rx_misrouted(sum);
}

void FillWorkers(const Workers& workers, v1::Snapshot& snapshot) {
  for (const auto& worker : workers) {
    auto& out = *snapshot.add_workers();
    const Interruptions interruptions = worker->interruptions();
    out.set_lcore(worker->lcore());
    out.set_cpu(worker->cpu());
    FillWorker(worker->counters(), out);
    out.set_waited_ns(interruptions.waited_ns);
    out.set_preemptions(interruptions.preemptions);
    out.set_steal_ns(interruptions.steal_ns);
  }
}

// A stream with a changed file was stopped by the tester, or has sent unplanned frames.
void FillFaults(const LoadedJob& job, v1::JobCounters& out) {
  for (const auto& stream : job.streams) {
    const std::string* reason = stream.fault ? stream.fault->Get() : nullptr;
    if (reason == nullptr) continue;
    out.set_stopped_at_ns(std::max(stream.tx->last_ns.Get(), job.start->start_ns));
    out.set_stopped_by(Cat("the tester: ", *reason));
    auto& ids = *out.mutable_stopped_streams();
    if (std::ranges::find(ids, stream.plan.id) == ids.end()) ids.Add(stream.plan.id);
  }
}

void FillJob(const LoadedJob& job, const Ports& ports, v1::JobCounters& out) {
  out.set_name(job.plan.name);
  out.set_starts(job.starts);
  out.set_stopped_at_ns(job.stopped_at_ns);
  out.set_stopped_by(job.stopped_by);
  for (const uint16_t id : job.stopped_streams) out.add_stopped_streams(id);
  out.set_updates(job.updates);
  out.set_updated_by(job.updated_by);
  if (!job.start) return;
  out.set_started_at_ns(job.start->start_ns);
  out.set_started_by(job.start->by);
  out.set_asked_duration_ns(job.start->duration_ns);
  out.set_asked_packets(job.start->packets);
  FillFaults(job, out);
  for (size_t port = 0; port < ports.size(); ++port) {
    if (job.start->ports[port].empty()) continue;
    std::vector<const PollGaps*> gaps;
    for (const auto& queue : job.start->ports[port]) gaps.push_back(queue.get());
    auto& polls = *out.add_polls();
    polls.set_port(ports[port].facts().name);
    FillGaps(gaps, polls);
  }
}

v1::StampCounters& FillJobStamps(const LoadedStamps& stamps, v1::StampCounters& out) {
  out.set_name(stamps.plan->name);
  out.set_stamping(stamps.stamping);
  for (size_t direction = 0; direction < kPathDirections; ++direction) {
    if (!Heads(stamps.plan->heading, direction)) continue;
    auto& counted = *out.add_directions();
    counted.set_heading(direction == 0 ? "forward" : "backward");
    if (stamps.running) FillStamps(*stamps.running->directions[direction], counted);
  }
  return out;
}

// A stream whose job may be unloaded meanwhile.
struct SnapshotStream {
  uint16_t id;
  StreamParts parts;
  StreamRun run;
};

// By ascending ids.
std::vector<SnapshotStream> StreamsOf(const std::vector<LoadedJob*>& jobs, bool buckets) {
  std::vector<SnapshotStream> streams;
  for (const LoadedJob* job : jobs) {
    for (const auto& stream : job->streams) {
      const auto& measurement = stream.plan.measurement;
      streams.push_back({.id = stream.plan.id,
                         .parts = {.versions = measurement.version.exists(),
                                   .buckets = buckets,
                                   .sent_here = stream.plan.sent_here(),
                                   .signatures = measurement.integrity != nullptr},
                         .run = stream});
    }
  }
  std::ranges::sort(streams, {}, &SnapshotStream::id);
  return streams;
}

void FillResponders(const LoadedJob& job, v1::Snapshot& snapshot) {
  for (const auto& responder : job.responders) {
    auto& out = *snapshot.add_responders();
    out.set_job(job.plan.name);
    out.set_name(responder.plan->name);
    out.set_answering(responder.Answers());
    out.set_interpreted(responder.compiled == nullptr);
    FillResponder(*responder.counters, out);
  }
}

void FillPaths(const LoadedJob& job, const Ports& ports, v1::Snapshot& snapshot) {
  for (const auto& path : job.paths) {
    auto& out = *snapshot.add_paths();
    out.set_job(job.plan.name);
    out.set_forwarding(path.forwarding);
    const RunningPath* running = path.running.get();
    FillPath(*path.plan, running != nullptr ? &running->counters : nullptr,
             running != nullptr ? &running->events : nullptr, out);
    out.mutable_directions(0)->set_port(ports[path.plan->first_port].facts().name);
    out.mutable_directions(1)->set_port(ports[path.plan->second_port].facts().name);
  }
}

void FillUsage(const Usage& usage, v1::Usage& out) {
  if (usage.resident_bytes) out.set_resident_bytes(*usage.resident_bytes);
  if (usage.descriptors) out.set_descriptors(*usage.descriptors);
  out.set_mbufs(usage.mbufs);
}

void FillClock(const Clock::Reading& start, const Clock::Reading& now, v1::ClockCounters& out) {
  out.set_engine_start_ns(start.engine_ns);
  out.set_raw_start_ns(start.raw_ns);
  out.set_engine_now_ns(now.engine_ns);
  out.set_raw_now_ns(now.raw_ns);
}

}  // namespace

v1::GetInfoResponse Tester::Info() const {
  v1::GetInfoResponse info;
  info.set_version(kVersion);
  info.set_dpdk_version(rte_version());
  info.set_pid(static_cast<uint32_t>(::getpid()));
  info.mutable_limits()->set_max_streams(kMaxStreams);
  info.mutable_limits()->set_max_inject_frames(kMaxInjectFrames);
  info.mutable_limits()->set_max_flows(kMaxFlows);
  info.mutable_limits()->set_max_captures(kMaxCaptures);
  info.mutable_limits()->set_max_capture_bytes(kMaxCaptureBytes);
  info.mutable_limits()->set_max_responders(kMaxResponders);
  info.mutable_limits()->set_max_responder_flows(kMaxResponderFlows);
  info.mutable_limits()->set_max_paths(kMaxPaths);
  info.mutable_limits()->set_max_path_events(kMaxPathEvents);
  info.mutable_limits()->set_max_stamps(kMaxStamps);
  info.mutable_limits()->set_max_queries(kMaxQueries);
  info.mutable_limits()->set_max_query_bytes(kMaxQueryBytes);
  for (size_t i = 0; i < ports_.size(); ++i) {
    auto& port = *info.add_ports();
    FillPortInfo(ports_[i], port);
    for (size_t queue = 0; queue < ports_.queues(); ++queue) {
      port.add_queue_cpus(workers_[ports_.WorkerOf(i, queue)].cpu());
    }
  }
  for (const auto& worker : workers_) info.add_worker_cpus(worker->cpu());
  FillUsage(Usage::Read(), *info.mutable_usage());
  return info;
}

v1::ReadClockResponse Tester::ReadClock() const {
  const Clock::Reading now = clock_.ReadBoth();
  v1::ReadClockResponse response;
  response.set_engine_ns(now.engine_ns);
  response.set_raw_ns(now.raw_ns);
  return response;
}

v1::Progress Tester::Progress(const Names& names, const Client& client) {
  const std::lock_guard lock(mutex_);
  CheckReader(client);
  v1::Progress progress;
  progress.set_now_ns(clock_.Now());
  for (const LoadedJob* job : jobs_.Find(names)) {
    for (const auto& stream : job->streams) {
      // Before the counts, so that "not sending" never comes with counts that still grow.
      if (stream.Sending()) progress.set_sending(true);
      for (const auto& shard : stream.rx)
        progress.set_rx_packets(progress.rx_packets() + shard->packets.Get());
      progress.set_tx_packets(progress.tx_packets() + stream.tx->packets.Get());
      progress.set_intended_packets(progress.intended_packets() + stream.tx->intended.Get());
    }
    for (const auto& responder : job->responders) {
      if (responder.Sending()) progress.set_sending(true);
    }
  }
  return progress;
}

v1::Snapshot Tester::TakeSnapshot(const Names& names, const Client& client, bool buckets) {
  {
    const std::lock_guard lock(mutex_);
    CheckReader(client);
    if (!names.empty()) jobs_.Find(names);
  }
  // Readings, and loops of workers, may take long: no other call waits for them, but for snapshots.
  const std::lock_guard readings_lock(readings_mutex_);
  v1::Snapshot snapshot;
  snapshot.set_taken_at_ns(clock_.Now());
  FillReadings(ports_, workers_, snapshot);
  std::unique_lock lock(mutex_);
  CheckReader(client);
  const std::vector<SnapshotStream> streams =
      StreamsOf(names.empty() ? jobs_.All() : jobs_.Find(names), buckets);
  for (const SnapshotStream& stream : streams) {
    auto& out = *snapshot.add_streams();
    out.set_id(stream.id);
    if (stream.run.fields) FillFields(*stream.run.fields, out);
    FillStreamReceived(stream.run.Shards(), stream.parts, out);
    FillMisrouted(stream.run.Shards(), ports_, out);
  }
  for (size_t i = 0; i < ports_.size(); ++i) {
    PortCounters counters;
    ports_[i].SumUp(counters);
    FillPortReceived(counters, *snapshot.mutable_ports(static_cast<int>(i)));
  }
  // Another worker may be between handing over frames that have arrived by now, and counting them.
  lock.unlock();
  workers_.AwaitTwoLoops();
  lock.lock();
  for (size_t i = 0; i < streams.size(); ++i) {
    FillStreamSent(*streams[i].run.tx, streams[i].parts,
                   *snapshot.mutable_streams(static_cast<int>(i)));
  }
  for (size_t i = 0; i < ports_.size(); ++i) {
    PortCounters counters;
    ports_[i].SumUp(counters);
    FillPortSent(counters, *snapshot.mutable_ports(static_cast<int>(i)));
  }
  for (const LoadedJob* job : names.empty() ? jobs_.All() : jobs_.Find(names)) {
    FillJob(*job, ports_, *snapshot.add_jobs());
    FillResponders(*job, snapshot);
    FillPaths(*job, ports_, snapshot);
    for (const auto& stamps : job->stamps)
      FillJobStamps(stamps, *snapshot.add_stamps()).set_job(job->plan.name);
  }
  FillWorkers(workers_, snapshot);
  for (const auto& [name, capture] : captures_)
    FillCapture(*capture, ports_, *snapshot.add_captures());
  if (names.empty()) {
    for (const auto& [name, query] : queries_) FillQuery(*query, *snapshot.add_queries());
  }
  FillClock(opened_, clock_.ReadBoth(), *snapshot.mutable_clock());
  return snapshot;
}

}  // namespace tester
