// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The tester as control.proto describes it: ports, workers and jobs as one thing. Thread safe;
// every refusal is an Error and has changed nothing.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "capture/capture.h"
#include "plan/validate.h"
#include "port/port.h"
#include "receiver/retired.h"
#include "tester/loaded.h"
#include "tester/v1/control.pb.h"
#include "worker/clock.h"
#include "worker/worker.h"

namespace tester {

struct WorkerPlacement {
  std::vector<unsigned> cpus;  // lcore i + 1 runs on cpus[i]
  bool shares_cpu;             // with control threads
};

class Tester {
 public:
  using Names = std::vector<std::string>;
  static constexpr uint64_t kDefaultOutageNs = 1'000'000;

  Tester(std::vector<std::unique_ptr<Port>> ports, const WorkerPlacement& placement);
  Tester(const Tester&) = delete;
  Tester& operator=(const Tester&) = delete;

  v1::GetInfoResponse Info() const;
  void Load(const v1::Job& job);
  // `by`, here and below: who asks for it, for those who are told later.
  // The instant at which the first frames are due.
  uint64_t Start(const Names& names, uint64_t duration_ns, uint64_t packets_per_stream,
                 uint64_t outage_ns = kDefaultOutageNs, const std::string& by = {});
  // kEnd: the other ends of open flows are told, as their tables say; it takes a second at most.
  enum class OpenFlows : uint8_t { kAbandon, kEnd };
  void Stop(const Names& names, const std::string& by = {},
            OpenFlows open_flows = OpenFlows::kAbandon);
  // Stops all jobs for good: none can be loaded or started any more.
  void End(const std::string& by);
  // The client that has called End; empty: nobody.
  std::string EndedBy();
  // The instant at which the new stream takes over from the one of its id.
  uint64_t Update(const std::string& job, const v1::Stream& stream, const std::string& by = {});
  void Unload(const Names& names, const std::string& by = {});
  v1::FlipResponse Flip(const Names& names);
  // Hands over chunks until there are no more, or `write` says that it wants none.
  void ReadFlows(const v1::ReadFlowsRequest& request,
                 const std::function<bool(const v1::FlowCounters&)>& write);
  v1::Progress Progress(const Names& names);
  v1::Snapshot TakeSnapshot(const Names& names);
  void StartCapture(const v1::Capture& request);
  v1::StopCaptureResponse StopCapture(const std::string& name);
  // As ReadFlows.
  void ReadCapture(const std::string& name,
                   const std::function<bool(const v1::CapturedFrames&)>& write);
  void ForgetCapture(const std::string& name);
  void Inject(const v1::InjectRequest& request);
  // `cancelled` is asked while waiting.
  Mac Resolve(const v1::ResolveRequest& request, const std::function<bool()>& cancelled);

  // False while a worker has been found not to move, and for ever when it did not take a program.
  bool Usable() const { return usable_ && !stuck_; }
  // Looks whether every worker has moved since the last call. One look in vain may be the
  // machine's, which was paused as a whole; after two the worker is stuck, until it moves again.
  void CheckWorkers();

 private:
  // Under mutex_.
  std::vector<LoadedJob*> FindJobs(const Names& names);
  LoadedStream& FindStream(const std::string& job, uint32_t stream_id, std::string_view where);
  void RefuseEnded() const;
  // Takes mutex_ to do so.
  void GiveUpIfEnded();
  // Returns the responders that are ending their flows; all others are silent when it returns.
  Responders StopJobs(const std::vector<LoadedJob*>& jobs, const std::string& by,
                      OpenFlows open_flows);
  void StopStreams(const std::vector<LoadedJob*>& jobs);
  // Not under mutex_: waits for responders that are ending their flows, then makes them silent.
  void AwaitEnd(const Responders& ending);
  // A failure before a worker has a new program changes nothing.
  void Publish();
  // An exception of ask(i) leaves the tester unusable.
  void AskWorkers(const std::function<void(size_t)>& ask);
  std::shared_ptr<Capture> FindCapture(const std::string& name) const;
  void AddTaps(size_t worker, Program& program) const;
  void EndCapture(const std::shared_ptr<Capture>& capture);
  void FillCapture(const Capture& capture, v1::CaptureCounters& out) const;
  void FillPorts(v1::Snapshot& snapshot);
  void FillWorkers(v1::Snapshot& snapshot);
  void FillJob(const LoadedJob& job, v1::JobCounters& out) const;

  uint16_t PortIndex(const std::string& name, std::string_view where) const;
  void InjectFrames(uint16_t port, std::vector<std::vector<uint8_t>> frames);

  Clock clock_;
  Activity activity_;  // of the workers
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<PortLimits> limits_;
  // After the ports: workers stop before ports are closed.
  std::vector<std::unique_ptr<Worker>> workers_;

  std::mutex mutex_;
  LoadedJobs jobs_;
  std::map<std::string, std::shared_ptr<Capture>> captures_;  // stopped ones included
  std::shared_ptr<const Retired> retired_;                    // streams of jobs that were unloaded
  std::deque<std::pair<std::string, std::string>> unloaded_;  // the last ones, and by whom
  std::string ended_by_;
  const Clock::Reading opened_;
  struct Look {
    uint64_t loops = UINT64_MAX;
    unsigned in_vain = 0;
  };
  std::vector<Look> looks_;  // of the thread that calls CheckWorkers
  std::atomic<bool> usable_{true};
  std::atomic<bool> stuck_{false};
  // One order and one question a port at a time.
  std::unique_ptr<std::mutex[]> inject_mutexes_;
  std::unique_ptr<std::mutex[]> resolve_mutexes_;
};

}  // namespace tester
