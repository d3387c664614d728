// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Leases for clients: everything done under a lease ends with it.
#include <algorithm>

#include "base/log.h"
#include "base/text.h"
#include "tester/tester.h"

namespace tester {
namespace {

bool IsRunning(const LoadedJob& job) {
  return job.Answers() || std::ranges::any_of(job.streams, &LoadedStream::Sending);
}

// Traffic without a lease blocks a client that wants one.
void RefuseRunning(const std::vector<LoadedJob*>& jobs) {
  for (const LoadedJob* job : jobs) {
    if (job->lease != 0 || !IsRunning(*job)) continue;
    const std::string by = job->start && !job->start->by.empty() ? job->start->by : "somebody";
    throw Error(Code::kPermissionDenied,
                Cat("lease: job ", Quote(job->plan.name), ", which ", by,
                    " started without a lease, is running; wait until it ends, ask for it, or "
                    "acquire the lease by force, which stops and unloads it"));
  }
}

}  // namespace

void Tester::Remove(uint64_t lease, const std::string& by) {
  const auto others = [lease](uint64_t number) { return lease != 0 && number != lease; };
  auto jobs = jobs_.All();
  std::erase_if(jobs, [&](const LoadedJob* job) { return others(job->lease); });
  StopJobs(jobs, by, OpenFlows::kAbandon);
  const LoadedJobs unloaded = jobs_.Unload(jobs, by);  // freed once no worker knows them
  for (const auto& capture : captures_.All()) {
    if (others(capture->plan().lease)) continue;
    EndCapture(capture);
    captures_.Remove(capture->plan().name);
  }
  for (const auto& query : queries_.All()) {
    if (others(query->plan().lease)) continue;
    EndQuery(query);
    queries_.Remove(query->plan().name);
  }
  Publish();
}

void Tester::EndLease(const std::string& how) {
  const uint64_t number = lease_.Number();
  const std::string by = Cat("the end of the lease of ", lease_.HolderText());
  const bool detached = lease_.IsDetached();
  lease_.End(how);  // first: whatever fails below, the former owner may do nothing more
  if (detached) return;
  fences_.LeaseUntil(Lease::Clock::now());
  try {
    Remove(number, by);
  } catch (...) {
    fences_.LeaseEnded(false);
    throw;
  }
  fences_.LeaseEnded(true);
}

v1::AcquireLeaseResponse Tester::AcquireLease(const v1::AcquireLeaseRequest& request,
                                              const Client& client) {
  EndOverdueLease();
  v1::AcquireLeaseResponse response;
  {
    const std::lock_guard lock(mutex_);
    RefuseEnded();
    lease_.CheckAcquire(request, client, Lease::Clock::now());
    if (request.force()) {
      const std::string by = Cat(Quote(request.owner()), " (", client.name, ")");
      if (const auto before = lease_.Message(Lease::Clock::now())) {
        *response.mutable_taken_over() = *before;
        Log(LogLevel::kWarning, "lease taken over",
            {{"lease", static_cast<int64_t>(before->number())},
             {"from", lease_.HolderText()},
             {"by", by}});
      }
      EndLease(Cat("it was taken over by ", by));
      Remove(0, by);
    } else {
      RefuseRunning(jobs_.All());
    }
    const auto now = Lease::Clock::now();
    response.set_token(lease_.Grant(request, client, now));
    fences_.LeaseUntil(lease_.TrafficUntil());
    *response.mutable_lease() = *lease_.Message(now);
  }
  if (request.force()) single_frames_.Finish();  // no frame of another client leaves any more
  Log(LogLevel::kInfo, "lease",
      {{"lease", static_cast<int64_t>(response.lease().number())},
       {"owner", request.owner()},
       {"ttl_ns", static_cast<int64_t>(request.ttl_ns())},
       {"by", client.name}});
  return response;
}

v1::Lease Tester::RenewLease(const Client& client) {
  const std::lock_guard lock(mutex_);
  const auto now = Lease::Clock::now();
  lease_.Renew(client, now);
  fences_.LeaseUntil(lease_.TrafficUntil());
  return *lease_.Message(now);
}

void Tester::ReleaseLease(const Client& client) {
  {
    const std::lock_guard lock(mutex_);
    lease_.CheckHeld(client, Lease::Clock::now());
    Log(LogLevel::kInfo, "lease released",
        {{"lease", static_cast<int64_t>(lease_.Number())}, {"by", client.name}});
    EndLease("it was released");
  }
  single_frames_.Finish();
}

v1::GetLeaseResponse Tester::GetLease() {
  const std::lock_guard lock(mutex_);
  v1::GetLeaseResponse response;
  response.set_required(lease_.required());
  if (const auto lease = lease_.Message(Lease::Clock::now())) *response.mutable_lease() = *lease;
  return response;
}

void Tester::CloseFences() {
  fences_.CloseOverdue(Lease::Clock::now());
  for (auto& excess : rates_.Look(clock_.Now())) {
    fences_.CloseRate(excess.port);
    const std::lock_guard lock(excesses_mutex_);
    excesses_.push_back(std::move(excess));
  }
}

void Tester::EndOverdueLease() {
  const std::lock_guard lock(mutex_);
  if (!lease_.IsOver(Lease::Clock::now())) return;
  Log(LogLevel::kWarning, "lease not renewed",
      {{"lease", static_cast<int64_t>(lease_.Number())}, {"of", lease_.HolderText()}});
  EndLease("it was not renewed in time");
}

}  // namespace tester
