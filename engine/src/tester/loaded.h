// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Jobs as they are held while they are loaded, and the programs that workers run for them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "generator/frames.h"
#include "generator/schedule.h"
#include "plan/job.h"
#include "stats/counters.h"
#include "worker/program.h"

namespace tester {

struct LoadedStream {
  explicit LoadedStream(StreamPlan stream_plan);

  // Counters of a new start; the old ones live as long as a worker knows them.
  void ResetCounters(uint64_t now_ns);
  // Sends a new leg from its begin on; 0 for duration_ns or packets: no such limit.
  void Start(Leg leg, uint64_t duration_ns, uint64_t packets);
  bool Sending() const { return tx->sending.load(std::memory_order_acquire); }

  StreamPlan plan;
  std::shared_ptr<const Frames> frames;
  std::shared_ptr<StreamTx> tx;
  std::shared_ptr<StreamRx> rx;
  bool numbered = true;  // its frames are known by their sequence
  // What arrives stamped earlier is of an earlier start.
  uint64_t counters_since_ns = 0;
  // Null until the first start, and the schedule after a stop, too.
  std::shared_ptr<const Schedule> schedule;
  std::shared_ptr<Sender> sender;
};

// What a start or an update of a stream begins with, but for the instant. For a replay it reads
// ahead.
Leg NewLeg(const StreamPlan& plan, const std::shared_ptr<const Frames>& frames);

struct LoadedResponder {
  explicit LoadedResponder(std::shared_ptr<const machine::ResponderPlan> responder_plan);

  // Counters and flows of a new start; 0 for duration_ns: it opens flows until it is stopped.
  void Start(Port& port, uint64_t start_ns, uint64_t duration_ns);
  void Stop();
  bool Answers() const { return answering != nullptr; }
  // It opens flows, or some of those that it has to open altogether have not ended.
  bool Sending() const;

  std::shared_ptr<const machine::ResponderPlan> plan;
  const machine::Made* made;  // null: its table is interpreted
  std::shared_ptr<ResponderCounters> counters;
  std::shared_ptr<Answering> answering;  // null unless it answers
};

struct LoadedJob {
  explicit LoadedJob(Job job);

  Job plan;  // its streams are in `streams`, its responders in `responders`, too
  std::vector<LoadedStream> streams;
  std::vector<LoadedResponder> responders;
};

using LoadedJobs = std::map<std::string, std::unique_ptr<LoadedJob>>;

// What worker `worker` of `workers` has to do for the jobs: it serves every port whose index modulo
// the number of workers is its own.
std::unique_ptr<Program> MakeProgram(const LoadedJobs& jobs,
                                     const std::shared_ptr<const Retired>& retired,
                                     const std::vector<std::unique_ptr<Port>>& ports, size_t worker,
                                     size_t workers, uint64_t epoch);

}  // namespace tester
