// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The service over a socket, as clients see it.
#include "rpc/service.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>

#include "port/device/eal.h"
#include "port/open.h"
#include "rpc/server.h"
#include "rpc/status.h"

namespace tester {
namespace {

using testing::HasSubstr;

unsigned Cpu() {
  static const auto cpu = static_cast<unsigned>(::sched_getcpu());
  return cpu;
}

std::vector<std::unique_ptr<Port>> OpenLoop() {
  static const Eal eal({.worker_cpus = {Cpu()},
                        .control_cpus = {Cpu()},
                        .memory_mb = 256,
                        .hugepages = false,
                        .pci_addresses = {}});
  return OpenPorts({ParsePortSpec("a=loop:x"), ParsePortSpec("b=loop:x")});
}

class ServiceTest : public testing::Test {
 protected:
  static std::string Path() {
    return testing::TempDir() + "/testerd-" + std::to_string(::getpid()) + ".sock";
  }

  template <typename Response, typename Request>
  grpc::Status Call(grpc::Status (v1::Tester::Stub::*method)(grpc::ClientContext*, const Request&,
                                                             Response*),
                    const Request& request, Response* response) {
    grpc::ClientContext context;
    return (*stub.*method)(&context, request, response);
  }

  grpc::Status Load(uint32_t id) {
    v1::LoadRequest request;
    request.mutable_job()->set_name("job");
    auto& stream = *request.mutable_job()->add_streams();
    stream.set_id(id);
    stream.set_tx_port("a");
    stream.set_rx_port("b");
    stream.add_frames(std::string(60, '\0'));
    stream.set_signature(true);
    stream.mutable_departures()->mutable_steady()->mutable_tick()->set_packets(1);
    stream.mutable_departures()->mutable_steady()->mutable_tick()->set_nanoseconds(10'000);
    v1::LoadResponse response;
    return Call(&v1::Tester::Stub::Load, request, &response);
  }

  std::atomic<int> shutdowns{0};
  Tester tester{OpenLoop(), {.cpus = {Cpu()}, .shares_cpu = true}};
  Service service{tester, [this] { ++shutdowns; }};
  ListenOptions options{
      .address = "unix:" + Path(), .tls_certificate = {}, .tls_key = {}, .tls_client_ca = {}};
  std::unique_ptr<Server> server = std::make_unique<Server>(options, service);
  std::unique_ptr<v1::Tester::Stub> stub =
      v1::Tester::NewStub(grpc::CreateChannel(options.address, grpc::InsecureChannelCredentials()));
};

TEST_F(ServiceTest, TheSocketIsTheOwnersAndGoesWithTheServer) {
  struct stat status {};
  ASSERT_EQ(::stat(Path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  EXPECT_THROW(CheckListen(options), Error) << "it is in use";
  server.reset();
  EXPECT_NE(::stat(Path().c_str(), &status), 0);
  EXPECT_NO_THROW(CheckListen(options));
}

TEST_F(ServiceTest, SaysWhoItIs) {
  v1::GetInfoResponse info;
  ASSERT_TRUE(Call(&v1::Tester::Stub::GetInfo, v1::GetInfoRequest(), &info).ok());
  ASSERT_EQ(info.ports_size(), 2);
  EXPECT_EQ(info.ports(0).name(), "a");
  EXPECT_EQ(info.ports(0).driver(), "net_ring");
  EXPECT_EQ(info.ports(0).max_frame_bytes(), 1518U);
  EXPECT_EQ(info.ports(0).mac().size(), 6U);
  EXPECT_NE(info.ports(0).mac(), info.ports(1).mac());
  EXPECT_EQ(info.limits().max_streams(), kMaxStreams);
  EXPECT_THAT(info.dpdk_version(), HasSubstr("DPDK"));
}

TEST_F(ServiceTest, RefusalsAreStatusAndMessage) {
  const grpc::Status bad = Load(0);
  EXPECT_EQ(bad.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(bad.error_message(), HasSubstr("1 to 65535"));
  EXPECT_TRUE(Load(1).ok());
  EXPECT_EQ(Load(1).error_code(), grpc::StatusCode::ALREADY_EXISTS);
}

TEST_F(ServiceTest, WaitReportsAndEndsWithTheStream) {
  ASSERT_TRUE(Load(1).ok());
  v1::StartRequest start;
  start.add_jobs("job");
  start.set_duration_ns(100'000'000);
  v1::StartResponse started;
  ASSERT_TRUE(Call(&v1::Tester::Stub::Start, start, &started).ok());
  EXPECT_GT(started.start_ns(), 0U);
  v1::WaitRequest wait;
  wait.add_jobs("job");
  wait.set_interval_ns(20'000'000);
  grpc::ClientContext context;
  const auto reader = stub->Wait(&context, wait);
  std::vector<v1::Progress> reports;
  for (v1::Progress progress; reader->Read(&progress);) reports.push_back(progress);
  EXPECT_TRUE(reader->Finish().ok());
  ASSERT_GE(reports.size(), 2U);
  EXPECT_TRUE(reports.front().sending());
  EXPECT_FALSE(reports.back().sending());
  EXPECT_EQ(reports.back().tx_packets(), 10'000U);
  EXPECT_EQ(reports.back().intended_packets(), 10'000U);
}

TEST_F(ServiceTest, WaitEndsAtOnceWhenNothingIsSending) {
  ASSERT_TRUE(Load(1).ok());
  v1::WaitRequest wait;
  wait.add_jobs("job");
  grpc::ClientContext context;
  const auto reader = stub->Wait(&context, wait);
  v1::Progress progress;
  EXPECT_TRUE(reader->Read(&progress));
  EXPECT_FALSE(progress.sending());
  EXPECT_FALSE(reader->Read(&progress));
  EXPECT_TRUE(reader->Finish().ok());
}

TEST_F(ServiceTest, ShutdownStopsTheJobsAndAsksForTheEnd) {
  ASSERT_TRUE(Load(1).ok());
  v1::StartRequest start;
  start.add_jobs("job");
  v1::StartResponse started;
  ASSERT_TRUE(Call(&v1::Tester::Stub::Start, start, &started).ok());
  v1::ShutdownResponse response;
  EXPECT_TRUE(Call(&v1::Tester::Stub::Shutdown, v1::ShutdownRequest(), &response).ok());
  EXPECT_EQ(shutdowns, 1);
  EXPECT_FALSE(tester.Progress({"job"}).sending());
}

TEST(CheckListen, RefusesWhatCannotBeListenedOn) {
  const auto refused = [](const std::string& address) {
    try {
      CheckListen({.address = address, .tls_certificate = {}, .tls_key = {}, .tls_client_ca = {}});
      return std::string("accepted");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(refused("tcp:1"), HasSubstr("unix:/path and grpc+tls:HOST:PORT"));
  EXPECT_THAT(refused("unix:relative"), HasSubstr("absolute path"));
  EXPECT_THAT(refused("unix:/" + std::string(200, 'x')), HasSubstr("201 bytes"));
  EXPECT_THAT(refused("unix:/not/there/socket"), HasSubstr("/not/there/"));
  EXPECT_THAT(refused("grpc+tls:localhost:1"), HasSubstr("--tls-client-ca"));
  const std::string file = testing::TempDir() + "/testerd-no-socket";
  std::ofstream(file) << "x";
  EXPECT_THAT(refused("unix:" + file), HasSubstr("no socket"));
  ::unlink(file.c_str());
}

TEST(ToStatus, KeepsCodeAndMessage) {
  const grpc::Status status = ToStatus(Error(Code::kResourceExhausted, "too much"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(status.error_message(), "too much");
}

}  // namespace
}  // namespace tester
