// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The tester as control.proto describes it: what clients ask of jobs and captures is done on ports
// by workers, one call after the other. Thread safe; every refusal is an Error and has changed
// nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tester/captures.h"
#include "tester/jobs.h"
#include "tester/ports.h"
#include "tester/single_frames.h"
#include "tester/v1/control.pb.h"
#include "tester/workers.h"
#include "worker/clock.h"

namespace tester {

class Tester {
 public:
  using Names = Jobs::Names;
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

  SingleFrames& single_frames() { return single_frames_; }
  Workers& workers() { return workers_; }

 private:
  // Under mutex_.
  void RefuseEnded() const;
  // Takes mutex_ to do so.
  void CheckNotEnded();
  // Returns the responders that are ending their flows; all others are silent when it returns.
  Responders StopJobs(const std::vector<LoadedJob*>& jobs, const std::string& by,
                      OpenFlows open_flows);
  void StopStreams(const std::vector<LoadedJob*>& jobs);
  // Not under mutex_: waits for responders that are ending their flows, then makes them silent.
  void AwaitEnd(const Responders& ending);
  Workers::Programs MakePrograms() const;
  // A failure before a worker has a new program changes nothing.
  void Publish();
  void EndCapture(const std::shared_ptr<Capture>& capture);

  Clock clock_;
  const Clock::Reading opened_;
  Ports ports_;
  // After the ports: workers stop before ports are closed.
  Workers workers_;
  SingleFrames single_frames_;

  std::mutex mutex_;
  Jobs jobs_;
  Captures captures_;
  std::string ended_by_;
};

}  // namespace tester
