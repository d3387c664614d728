// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "rpc/service.h"

#include <chrono>
#include <thread>

#include "base/log.h"
#include "base/text.h"
#include "rpc/caller.h"
#include "rpc/status.h"

namespace tester {
namespace {

constexpr uint64_t kDefaultIntervalNs = 500'000'000;
constexpr auto kWaitPoll = std::chrono::milliseconds(2);

template <typename Names>
Tester::Names NamesOf(const Names& names) {
  return {names.begin(), names.end()};
}

}  // namespace

template <typename Call>
grpc::Status Service::Answer(const grpc::ServerContext& context, const char* name, Role least,
                             const Call& call) {
  const Client client = CallerOf(context, clients_);
  try {
    if (client.role < least) {
      throw Error(Code::kPermissionDenied,
                  Cat(client.name, " has the role ", RoleName(client.role),
                      " in the policy of this tester; this call needs ", RoleName(least)));
    }
    call(client);
    return grpc::Status::OK;
  } catch (const Error& error) {
    Log(LogLevel::kInfo, "refused",
        {{"call", name}, {"by", client.name}, {"reason", error.what()}});
    return ToStatus(error);
  } catch (const std::bad_alloc&) {
    return {grpc::StatusCode::RESOURCE_EXHAUSTED, "testerd has no memory left"};
  } catch (const std::exception& error) {
    Log(LogLevel::kError, "failed", {{"call", name}, {"reason", error.what()}});
    return {grpc::StatusCode::INTERNAL, error.what()};
  }
}

grpc::Status Service::GetInfo(grpc::ServerContext* context, const v1::GetInfoRequest* /*request*/,
                              v1::GetInfoResponse* response) {
  return Answer(*context, "GetInfo", Role::kObserve,
                [&](const Client& /*client*/) { *response = tester_.Info(); });
}

grpc::Status Service::ReadClock(grpc::ServerContext* context,
                                const v1::ReadClockRequest* /*request*/,
                                v1::ReadClockResponse* response) {
  return Answer(*context, "ReadClock", Role::kObserve,
                [&](const Client& /*client*/) { *response = tester_.ReadClock(); });
}

grpc::Status Service::AcquireLease(grpc::ServerContext* context,
                                   const v1::AcquireLeaseRequest* request,
                                   v1::AcquireLeaseResponse* response) {
  return Answer(*context, "AcquireLease", request->force() ? Role::kAdmin : Role::kRun,
                [&](const Client& client) { *response = tester_.AcquireLease(*request, client); });
}

grpc::Status Service::RenewLease(grpc::ServerContext* context,
                                 const v1::RenewLeaseRequest* /*request*/,
                                 v1::RenewLeaseResponse* response) {
  return Answer(*context, "RenewLease", Role::kRun, [&](const Client& client) {
    *response->mutable_lease() = tester_.RenewLease(client);
  });
}

grpc::Status Service::ReleaseLease(grpc::ServerContext* context,
                                   const v1::ReleaseLeaseRequest* /*request*/,
                                   v1::ReleaseLeaseResponse* /*response*/) {
  return Answer(*context, "ReleaseLease", Role::kRun,
                [&](const Client& client) { tester_.ReleaseLease(client); });
}

grpc::Status Service::GetLease(grpc::ServerContext* context, const v1::GetLeaseRequest* /*request*/,
                               v1::GetLeaseResponse* response) {
  return Answer(*context, "GetLease", Role::kObserve,
                [&](const Client& /*client*/) { *response = tester_.GetLease(); });
}

grpc::Status Service::Load(grpc::ServerContext* context, const v1::LoadRequest* request,
                           v1::LoadResponse* /*response*/) {
  return Answer(*context, "Load", Role::kRun,
                [&](const Client& client) { tester_.Load(request->job(), client); });
}

grpc::Status Service::Start(grpc::ServerContext* context, const v1::StartRequest* request,
                            v1::StartResponse* response) {
  return Answer(*context, "Start", Role::kRun, [&](const Client& client) {
    const uint64_t outage_ns =
        request->outage_ns() == 0 ? Tester::kDefaultOutageNs : request->outage_ns();
    response->set_start_ns(tester_.Start(NamesOf(request->jobs()), request->duration_ns(),
                                         request->packets_per_stream(), outage_ns, client,
                                         request->at_ns()));
  });
}

grpc::Status Service::Stop(grpc::ServerContext* context, const v1::StopRequest* request,
                           v1::StopResponse* /*response*/) {
  return Answer(*context, "Stop", Role::kRun, [&](const Client& client) {
    tester_.Stop(NamesOf(request->jobs()), client,
                 request->abandon() ? Tester::OpenFlows::kAbandon : Tester::OpenFlows::kEnd);
  });
}

grpc::Status Service::Update(grpc::ServerContext* context, const v1::UpdateRequest* request,
                             v1::UpdateResponse* response) {
  return Answer(*context, "Update", Role::kRun, [&](const Client& client) {
    response->set_effective_ns(tester_.Update(request->job(), request->stream(), client));
  });
}

grpc::Status Service::Unload(grpc::ServerContext* context, const v1::UnloadRequest* request,
                             v1::UnloadResponse* /*response*/) {
  return Answer(*context, "Unload", Role::kRun,
                [&](const Client& client) { tester_.Unload(NamesOf(request->jobs()), client); });
}

grpc::Status Service::Wait(grpc::ServerContext* context, const v1::WaitRequest* request,
                           grpc::ServerWriter<v1::Progress>* writer) {
  const uint64_t interval_ns =
      request->interval_ns() == 0 ? kDefaultIntervalNs : request->interval_ns();
  const Tester::Names names = NamesOf(request->jobs());
  return Answer(*context, "Wait", Role::kObserve, [&](const Client& client) {
    v1::Progress progress = tester_.Progress(names, client);
    uint64_t reported_ns = progress.now_ns();
    while (progress.sending() && !context->IsCancelled()) {
      std::this_thread::sleep_for(kWaitPoll);
      progress = tester_.Progress(names, client);
      if (!progress.sending() || progress.now_ns() - reported_ns < interval_ns) continue;
      reported_ns = progress.now_ns();
      if (!writer->Write(progress)) return;
    }
    writer->Write(progress);
    const std::string by = tester_.EndedBy();
    if (!by.empty()) throw Error(Code::kAborted, Cat("the tester was told to end by ", by));
  });
}

grpc::Status Service::TakeSnapshot(grpc::ServerContext* context,
                                   const v1::TakeSnapshotRequest* request, v1::Snapshot* response) {
  return Answer(*context, "TakeSnapshot", Role::kObserve, [&](const Client& client) {
    *response = tester_.TakeSnapshot(NamesOf(request->jobs()), client, !request->without_buckets());
  });
}

grpc::Status Service::Flip(grpc::ServerContext* context, const v1::FlipRequest* request,
                           v1::FlipResponse* response) {
  return Answer(*context, "Flip", Role::kRun, [&](const Client& client) {
    *response = tester_.Flip(NamesOf(request->jobs()), client);
  });
}

grpc::Status Service::ReadFlows(grpc::ServerContext* context, const v1::ReadFlowsRequest* request,
                                grpc::ServerWriter<v1::FlowCounters>* writer) {
  return Answer(*context, "ReadFlows", Role::kRun, [&](const Client& client) {
    tester_.ReadFlows(
        *request,
        [&](const v1::FlowCounters& flows) {
          return !context->IsCancelled() && writer->Write(flows);
        },
        client);
  });
}

grpc::Status Service::ReadStamps(grpc::ServerContext* context, const v1::ReadStampsRequest* request,
                                 grpc::ServerWriter<v1::StampRecords>* writer) {
  return Answer(*context, "ReadStamps", Role::kRun, [&](const Client& client) {
    tester_.ReadStamps(
        *request,
        [&](const v1::StampRecords& records) {
          return !context->IsCancelled() && writer->Write(records);
        },
        client);
  });
}

grpc::Status Service::Inject(grpc::ServerContext* context, const v1::InjectRequest* request,
                             v1::InjectResponse* /*response*/) {
  return Answer(*context, "Inject", Role::kRun,
                [&](const Client& client) { tester_.single_frames().Inject(*request, client); });
}

grpc::Status Service::Resolve(grpc::ServerContext* context, const v1::ResolveRequest* request,
                              v1::ResolveResponse* response) {
  return Answer(*context, "Resolve", Role::kRun, [&](const Client& client) {
    const Mac mac = tester_.single_frames().Resolve(
        *request, [&] { return context->IsCancelled(); }, client);
    response->set_mac(mac.data(), mac.size());
  });
}

grpc::Status Service::StartCapture(grpc::ServerContext* context,
                                   const v1::StartCaptureRequest* request,
                                   v1::StartCaptureResponse* /*response*/) {
  return Answer(*context, "StartCapture", Role::kRun,
                [&](const Client& client) { tester_.StartCapture(request->capture(), client); });
}

grpc::Status Service::StopCapture(grpc::ServerContext* context,
                                  const v1::StopCaptureRequest* request,
                                  v1::StopCaptureResponse* response) {
  return Answer(*context, "StopCapture", Role::kRun, [&](const Client& client) {
    *response = tester_.StopCapture(request->name(), client);
  });
}

grpc::Status Service::ReadCapture(grpc::ServerContext* context,
                                  const v1::ReadCaptureRequest* request,
                                  grpc::ServerWriter<v1::CapturedFrames>* writer) {
  return Answer(*context, "ReadCapture", Role::kRun, [&](const Client& client) {
    tester_.ReadCapture(
        request->name(),
        [&](const v1::CapturedFrames& frames) {
          return !context->IsCancelled() && writer->Write(frames);
        },
        client);
  });
}

grpc::Status Service::ForgetCapture(grpc::ServerContext* context,
                                    const v1::ForgetCaptureRequest* request,
                                    v1::ForgetCaptureResponse* /*response*/) {
  return Answer(*context, "ForgetCapture", Role::kRun,
                [&](const Client& client) { tester_.ForgetCapture(request->name(), client); });
}

grpc::Status Service::StartQuery(grpc::ServerContext* context, const v1::StartQueryRequest* request,
                                 v1::StartQueryResponse* response) {
  return Answer(*context, "StartQuery", Role::kRun, [&](const Client& client) {
    response->set_started_ns(tester_.StartQuery(request->query(), client));
  });
}

grpc::Status Service::StopQuery(grpc::ServerContext* context, const v1::StopQueryRequest* request,
                                v1::StopQueryResponse* /*response*/) {
  return Answer(*context, "StopQuery", Role::kRun,
                [&](const Client& client) { tester_.StopQuery(request->name(), client); });
}

grpc::Status Service::ReadQuery(grpc::ServerContext* context, const v1::ReadQueryRequest* request,
                                grpc::ServerWriter<v1::QueryRows>* writer) {
  return Answer(*context, "ReadQuery", Role::kRun, [&](const Client& client) {
    tester_.ReadQuery(
        *request,
        [&](const v1::QueryRows& rows) { return !context->IsCancelled() && writer->Write(rows); },
        client);
  });
}

grpc::Status Service::ForgetQuery(grpc::ServerContext* context,
                                  const v1::ForgetQueryRequest* request,
                                  v1::ForgetQueryResponse* /*response*/) {
  return Answer(*context, "ForgetQuery", Role::kRun,
                [&](const Client& client) { tester_.ForgetQuery(request->name(), client); });
}

grpc::Status Service::Shutdown(grpc::ServerContext* context, const v1::ShutdownRequest* /*request*/,
                               v1::ShutdownResponse* /*response*/) {
  return Answer(*context, "Shutdown", Role::kAdmin, [&](const Client& client) {
    tester_.Shutdown(client);
    shutdown_();
  });
}

}  // namespace tester
