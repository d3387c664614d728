// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Loaded jobs, and the programs that workers run for them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "generator/frames/frames.h"
#include "generator/schedule.h"
#include "plan/job.h"
#include "snapshot/merge.h"
#include "stats/counters.h"
#include "stats/job_start.h"
#include "tester/link_keeper.h"
#include "tester/ports.h"
#include "worker/program.h"

namespace tester {

// One start of a stream. A worker may keep an earlier one.
struct StreamRun {
  // Nothing is sent yet; a frame with a timestamp before now is of an earlier start. Sums of times
  // count from `base_ns`.
  StreamRun(const StreamPlan& plan, const Ports& ports, uint64_t now_ns, uint64_t base_ns);

  // Sends a segment from its begin on; 0 for duration_ns or packets: no such limit.
  void Send(ScheduleSegment segment, uint64_t duration_ns, uint64_t packets);
  bool Sending() const { return tx->sending.load(std::memory_order_acquire); }
  StreamShards Shards() const;

  std::shared_ptr<StreamTx> tx;
  std::vector<std::shared_ptr<StreamRx>> rx;  // by worker
  std::shared_ptr<FieldWatch> fields;         // null without expected fields
  bool numbered = true;                       // its frames are known by their sequence
  uint64_t counters_since_ns;
  uint64_t base_ns;
  // Null until the first start, and the schedule after a stop, too.
  std::shared_ptr<const Schedule> schedule;
  std::shared_ptr<Sender> sender;
  std::shared_ptr<const Fault> fault;  // null unless it replays a file
};

struct LoadedStream : StreamRun {
  LoadedStream(StreamPlan stream_plan, const Ports& ports);

  StreamRun& run() { return *this; }

  StreamPlan plan;
  std::shared_ptr<const Frames> frames;
};

// The segment that a start or an update begins with, without its instant. For a replay it begins
// to read.
ScheduleSegment NewSegment(const StreamPlan& plan, const std::shared_ptr<const Frames>& frames);

// Gives replays a moment, altogether, to read ahead.
void ReadAhead(std::span<const ScheduleSegment> segments);

// One start of a responder.
struct ResponderRun {
  explicit ResponderRun(const machine::ResponderPlan& plan);

  std::shared_ptr<ResponderCounters> counters;
  std::shared_ptr<RunningResponder> running;  // null unless it answers
};

struct LoadedResponder : ResponderRun {
  explicit LoadedResponder(std::shared_ptr<const machine::ResponderPlan> responder_plan);

  ResponderRun& run() { return *this; }
  // Counters and flows of a new start, which opens none yet.
  ResponderRun NewRun(PortQueue& queue) const;
  void Stop();
  bool Answers() const { return running != nullptr; }
  // It has been asked to end its flows, and has not been stopped since.
  bool Ending() const;
  // It opens flows, or some of a limited number of flows have not ended.
  bool Sending() const;

  std::shared_ptr<const machine::ResponderPlan> plan;
  const machine::CompiledTable* compiled;  // null: its table is interpreted
};

// One start of a path.
struct PathRun {
  std::shared_ptr<RunningPath> running;  // null until the first start; its counters outlive a stop
  bool forwarding = false;
  std::shared_ptr<LinkKeeper> links;  // while it forwards, if an event takes some down
};

struct LoadedPath : PathRun {
  explicit LoadedPath(std::shared_ptr<const PathPlan> path_plan) : plan(std::move(path_plan)) {}

  PathRun& run() { return *this; }
  // Counters, flows and events of a new start.
  PathRun NewRun(const Ports& ports, const Clock& clock) const;

  std::shared_ptr<const PathPlan> plan;
};

// One start of stamps.
struct StampRun {
  std::shared_ptr<RunningStamps> running;  // null until the first start
  bool stamping = false;
};

struct LoadedStamps : StampRun {
  explicit LoadedStamps(std::shared_ptr<const StampPlan> stamp_plan)
      : plan(std::move(stamp_plan)) {}

  StampRun& run() { return *this; }
  // Counters and flows of a new start.
  StampRun NewRun(uint64_t now_ns) const {
    return {.running = std::make_shared<RunningStamps>(*plan, now_ns), .stamping = true};
  }
  // Stops stamping; packets under way are still recognised.
  void Stop();

  std::shared_ptr<const StampPlan> plan;
};

// One start of a job, and its end.
struct JobRun {
  // Null until the first one. It is filled before a worker gets it.
  std::shared_ptr<const JobStart> start;
  uint64_t stopped_at_ns = 0;  // 0: not stopped, or it had ended before
  std::string stopped_by;
  std::vector<uint16_t> stopped_streams;  // that were sending
  uint64_t updates = 0;
  std::string updated_by;
};

struct LoadedJob : JobRun {
  LoadedJob(Job job, const Ports& ports);

  JobRun& run() { return *this; }
  // A responder answers, a path forwards, or packets are stamped.
  bool Answers() const;
  // Remembers the client of a stop, if something is stopped.
  void NoteStop(uint64_t now_ns, const std::string& by);

  Job plan;  // its streams are in `streams`, its responders in `responders`, too, and so on
  std::vector<LoadedStream> streams;
  std::vector<LoadedResponder> responders;
  std::vector<LoadedPath> paths;
  std::vector<LoadedStamps> stamps;
  uint64_t starts = 0;
  uint64_t lease = 0;  // under which it was loaded; 0: none
};

using LoadedJobs = std::map<std::string, std::unique_ptr<LoadedJob>>;

// The program of a worker, for the queues that it serves.
std::unique_ptr<Program> MakeProgram(const LoadedJobs& jobs,
                                     const std::shared_ptr<const Retired>& retired,
                                     const Ports& ports, size_t worker);

}  // namespace tester
