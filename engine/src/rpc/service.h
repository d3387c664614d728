// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// control.proto's service: each call is one call of Tester.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "tester/tester.h"
#include "tester/v1/control.grpc.pb.h"

namespace tester {

class Service final : public v1::Tester::Service {
 public:
  // `shutdown` is called by Shutdown and asks the process to end. `clients`: by the names in their
  // certificates; none: all are admins.
  Service(Tester& tester, std::function<void()> shutdown, std::map<std::string, Role> clients = {})
      : tester_(tester), shutdown_(std::move(shutdown)), clients_(std::move(clients)) {}

  grpc::Status GetInfo(grpc::ServerContext* context, const v1::GetInfoRequest* request,
                       v1::GetInfoResponse* response) override;
  grpc::Status ReadClock(grpc::ServerContext* context, const v1::ReadClockRequest* request,
                         v1::ReadClockResponse* response) override;
  grpc::Status AcquireLease(grpc::ServerContext* context, const v1::AcquireLeaseRequest* request,
                            v1::AcquireLeaseResponse* response) override;
  grpc::Status RenewLease(grpc::ServerContext* context, const v1::RenewLeaseRequest* request,
                          v1::RenewLeaseResponse* response) override;
  grpc::Status ReleaseLease(grpc::ServerContext* context, const v1::ReleaseLeaseRequest* request,
                            v1::ReleaseLeaseResponse* response) override;
  grpc::Status GetLease(grpc::ServerContext* context, const v1::GetLeaseRequest* request,
                        v1::GetLeaseResponse* response) override;
  grpc::Status Load(grpc::ServerContext* context, const v1::LoadRequest* request,
                    v1::LoadResponse* response) override;
  grpc::Status Start(grpc::ServerContext* context, const v1::StartRequest* request,
                     v1::StartResponse* response) override;
  grpc::Status Stop(grpc::ServerContext* context, const v1::StopRequest* request,
                    v1::StopResponse* response) override;
  grpc::Status Update(grpc::ServerContext* context, const v1::UpdateRequest* request,
                      v1::UpdateResponse* response) override;
  grpc::Status Unload(grpc::ServerContext* context, const v1::UnloadRequest* request,
                      v1::UnloadResponse* response) override;
  grpc::Status Wait(grpc::ServerContext* context, const v1::WaitRequest* request,
                    grpc::ServerWriter<v1::Progress>* writer) override;
  grpc::Status TakeSnapshot(grpc::ServerContext* context, const v1::TakeSnapshotRequest* request,
                            v1::Snapshot* response) override;
  grpc::Status Flip(grpc::ServerContext* context, const v1::FlipRequest* request,
                    v1::FlipResponse* response) override;
  grpc::Status ReadFlows(grpc::ServerContext* context, const v1::ReadFlowsRequest* request,
                         grpc::ServerWriter<v1::FlowCounters>* writer) override;
  grpc::Status ReadStamps(grpc::ServerContext* context, const v1::ReadStampsRequest* request,
                          grpc::ServerWriter<v1::StampRecords>* writer) override;
  grpc::Status Inject(grpc::ServerContext* context, const v1::InjectRequest* request,
                      v1::InjectResponse* response) override;
  grpc::Status Resolve(grpc::ServerContext* context, const v1::ResolveRequest* request,
                       v1::ResolveResponse* response) override;
  grpc::Status StartCapture(grpc::ServerContext* context, const v1::StartCaptureRequest* request,
                            v1::StartCaptureResponse* response) override;
  grpc::Status StopCapture(grpc::ServerContext* context, const v1::StopCaptureRequest* request,
                           v1::StopCaptureResponse* response) override;
  grpc::Status ReadCapture(grpc::ServerContext* context, const v1::ReadCaptureRequest* request,
                           grpc::ServerWriter<v1::CapturedFrames>* writer) override;
  grpc::Status ForgetCapture(grpc::ServerContext* context, const v1::ForgetCaptureRequest* request,
                             v1::ForgetCaptureResponse* response) override;
  grpc::Status StartQuery(grpc::ServerContext* context, const v1::StartQueryRequest* request,
                          v1::StartQueryResponse* response) override;
  grpc::Status StopQuery(grpc::ServerContext* context, const v1::StopQueryRequest* request,
                         v1::StopQueryResponse* response) override;
  grpc::Status ReadQuery(grpc::ServerContext* context, const v1::ReadQueryRequest* request,
                         grpc::ServerWriter<v1::QueryRows>* writer) override;
  grpc::Status ForgetQuery(grpc::ServerContext* context, const v1::ForgetQueryRequest* request,
                           v1::ForgetQueryResponse* response) override;
  grpc::Status Shutdown(grpc::ServerContext* context, const v1::ShutdownRequest* request,
                        v1::ShutdownResponse* response) override;

 private:
  // Runs a call for a client whose role allows it, and converts an exception to a status.
  template <typename Call>
  grpc::Status Answer(const grpc::ServerContext& context, const char* name, Role least,
                      const Call& call);

  Tester& tester_;
  std::function<void()> shutdown_;
  std::map<std::string, Role> clients_;
};

}  // namespace tester
