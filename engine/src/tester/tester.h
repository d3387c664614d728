// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The tester of control.proto: calls of clients about jobs, captures and queries, one after the
// other, for workers to carry out on ports. Thread safe. A refused call throws Error and changes
// nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tester/access/client.h"
#include "tester/access/fences.h"
#include "tester/access/lease.h"
#include "tester/access/port_rates.h"
#include "tester/captures.h"
#include "tester/jobs.h"
#include "tester/ports.h"
#include "tester/queries.h"
#include "tester/single_frames.h"
#include "tester/v1/control.pb.h"
#include "tester/workers.h"
#include "worker/clock.h"

namespace tester {

class Tester {
 public:
  using Names = Jobs::Names;
  static constexpr uint64_t kDefaultOutageNs = 1'000'000;

  // `lease_required`: clients need a lease. `policy`: null without one.
  Tester(std::vector<std::unique_ptr<Port>> ports, const WorkerPlacement& placement,
         bool lease_required = false, const std::shared_ptr<const Policy>& policy = nullptr);
  Tester(const Tester&) = delete;
  Tester& operator=(const Tester&) = delete;

  v1::GetInfoResponse Info() const;
  v1::ReadClockResponse ReadClock() const;
  // A call with a `client` is refused to a client that may not use the tester now
  // (tester/access/lease.h).
  void Load(const v1::Job& job, const Client& client = {});
  // The instant at which the first frames are due: `at_ns`, or as soon as possible if that is 0.
  uint64_t Start(const Names& names, uint64_t duration_ns, uint64_t packets_per_stream,
                 uint64_t outage_ns = kDefaultOutageNs, const Client& client = {},
                 uint64_t at_ns = 0);
  // kEnd: open flows are ended as their tables say; it takes a second at most.
  enum class OpenFlows : uint8_t { kAbandon, kEnd };
  void Stop(const Names& names, const Client& client = {},
            OpenFlows open_flows = OpenFlows::kAbandon);
  // Stops all jobs finally: no job can be loaded or started any more.
  void End(const std::string& by);
  // Ends the tester for a client that may do so.
  void Shutdown(const Client& client);
  // The client that has called End; empty before.
  std::string EndedBy();
  // Returns the instant at which the new stream replaces the one with its id.
  uint64_t Update(const std::string& job, const v1::Stream& stream, const Client& client = {});
  void Unload(const Names& names, const Client& client = {});
  v1::FlipResponse Flip(const Names& names, const Client& client = {});
  // Writes chunks to the end, or until `write` returns false.
  void ReadFlows(const v1::ReadFlowsRequest& request,
                 const std::function<bool(const v1::FlowCounters&)>& write,
                 const Client& client = {});
  // Like ReadFlows.
  void ReadStamps(const v1::ReadStampsRequest& request,
                  const std::function<bool(const v1::StampRecords&)>& write,
                  const Client& client = {});
  v1::Progress Progress(const Names& names, const Client& client = {});
  // `buckets`: with the histograms of streams.
  v1::Snapshot TakeSnapshot(const Names& names, const Client& client = {}, bool buckets = true);
  void StartCapture(const v1::Capture& request, const Client& client = {});
  v1::StopCaptureResponse StopCapture(const std::string& name, const Client& client = {});
  // Like ReadFlows.
  void ReadCapture(const std::string& name,
                   const std::function<bool(const v1::CapturedFrames&)>& write,
                   const Client& client = {});
  void ForgetCapture(const std::string& name, const Client& client = {});
  // The instant from which on frames are counted.
  uint64_t StartQuery(const v1::Query& request, const Client& client = {});
  void StopQuery(const std::string& name, const Client& client = {});
  // Like ReadFlows; the first chunk has the summary.
  void ReadQuery(const v1::ReadQueryRequest& request,
                 const std::function<bool(const v1::QueryRows&)>& write, const Client& client = {});
  void ForgetQuery(const std::string& name, const Client& client = {});
  // The calls of lease.proto and control.proto.
  v1::AcquireLeaseResponse AcquireLease(const v1::AcquireLeaseRequest& request,
                                        const Client& client);
  v1::Lease RenewLease(const Client& client);
  void ReleaseLease(const Client& client);
  v1::GetLeaseResponse GetLease();
  // Fences ports whose traffic may not go on. It waits for no other call and no worker. Called by
  // Guard, like the next two.
  void CloseFences();
  // Ends a lease whose time is over, and everything done under it.
  void EndOverdueLease();
  // Stops jobs that send, or may send, what the policy forbids.
  void EnforcePolicy();

  SingleFrames& single_frames() { return single_frames_; }
  Workers& workers() { return workers_; }

 private:
  // Under mutex_.
  void RefuseEnded() const;
  void CheckLease(const Client& client) const;
  // Reading changes nothing: a client that may observe needs no lease.
  void CheckReader(const Client& client) const;
  // Takes mutex_. Called again by a long call: its lease may have ended meanwhile.
  void CheckStillLeased(const Client& client);
  // Takes mutex_ for both checks.
  void CheckAdmitted(const Client& client);
  // And for ports with a limited rate: `frames` frames of `bytes` bytes with FCS.
  void CheckAdmitted(const Client& client, uint16_t port, uint64_t frames, uint64_t bytes);
  // Ends the lease in force; its jobs, captures and queries go with it, unless it is detached.
  void EndLease(const std::string& how);
  // Removes what was loaded under a lease; 0: everything.
  void Remove(uint64_t lease, const std::string& by);
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
  void EndQuery(const std::shared_ptr<Query>& query);
  // Refuses a start on ports that have sent too much. Under mutex_.
  void AdmitRates(const LoadedJob& job, std::string_view where);
  void StopForbidden(const std::vector<LoadedJob*>& jobs, const std::string& why);

  Clock clock_;
  const Clock::Reading opened_;
  Ports ports_;
  // After the ports: workers stop before ports are closed.
  Workers workers_;
  SingleFrames single_frames_;

  std::mutex readings_mutex_;  // of the ports; taken before mutex_
  std::mutex mutex_;           // not held while readings of ports are waited for
  Jobs jobs_;
  Captures captures_;
  Queries queries_;
  Lease lease_;
  PortRates rates_;  // thread safe
  Fences fences_;    // thread safe
  std::mutex excesses_mutex_;
  std::vector<PortRates::Excess> excesses_;  // at ports with a fence, whose jobs are to be stopped
  std::string ended_by_;
};

}  // namespace tester
