// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A sequence of client calls at a tester whose ports are connected. Each call is one byte (the
// method and the client), two bytes (the length of the message) and the message.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/log.h"
#include "port/device/eal_testing.h"
#include "port/open.h"
#include "tester/tester.h"
#include "wire/bytes.h"

namespace tester {
namespace {

constexpr size_t kMostCalls = 24;  // more would only take time

Tester& TheTester() {
  static const auto tester = [] {
    SetLogLevel(LogLevel::kError);
    StartEal();
    return std::make_unique<Tester>(
        OpenPorts({ParsePortSpec("a=loop:x"), ParsePortSpec("b=loop:x")}),
        WorkerPlacement{.cpus = {TestCpu()}, .shares_cpu = true});
  }();
  return *tester;
}

template <typename Message>
Message Parse(std::span<const uint8_t> data) {
  Message message;
  message.ParseFromArray(data.data(), static_cast<int>(data.size()));  // until an error, too
  return message;
}

template <typename Names>
Tester::Names NamesOf(const Names& names) {
  return {names.begin(), names.end()};
}

// All that is written is taken.
constexpr auto kTake = [](const auto& /*chunk*/) { return true; };

using Block = std::span<const uint8_t>;
using Call = void (*)(Tester& tester, Block message, Client& client);

constexpr std::array<Call, 24> kCalls = {
    [](Tester& tester, Block, Client&) { tester.Info(); },
    [](Tester& tester, Block message, Client& client) {
      client.token = tester.AcquireLease(Parse<v1::AcquireLeaseRequest>(message), client).token();
    },
    [](Tester& tester, Block, Client& client) { tester.RenewLease(client); },
    [](Tester& tester, Block, Client& client) { tester.ReleaseLease(client); },
    [](Tester& tester, Block, Client&) { tester.GetLease(); },
    [](Tester& tester, Block message, Client& client) {
      tester.Load(Parse<v1::LoadRequest>(message).job(), client);
    },
    [](Tester& tester, Block message, Client& client) {
      const auto request = Parse<v1::StartRequest>(message);
      tester.Start(NamesOf(request.jobs()), request.duration_ns(), request.packets_per_stream(),
                   request.outage_ns(), client);
    },
    [](Tester& tester, Block message, Client& client) {
      tester.Stop(NamesOf(Parse<v1::StopRequest>(message).jobs()), client);
    },
    [](Tester& tester, Block message, Client& client) {
      const auto request = Parse<v1::UpdateRequest>(message);
      tester.Update(request.job(), request.stream(), client);
    },
    [](Tester& tester, Block message, Client& client) {
      tester.Unload(NamesOf(Parse<v1::UnloadRequest>(message).jobs()), client);
    },
    [](Tester& tester, Block message, Client& client) {
      tester.Progress(NamesOf(Parse<v1::WaitRequest>(message).jobs()), client);
    },
    [](Tester& tester, Block message, Client& client) {
      const auto request = Parse<v1::TakeSnapshotRequest>(message);
      tester.TakeSnapshot(NamesOf(request.jobs()), client, !request.without_buckets());
    },
    [](Tester& tester, Block message, Client& client) {
      tester.Flip(NamesOf(Parse<v1::FlipRequest>(message).jobs()), client);
    },
    [](Tester& tester, Block message, Client& client) {
      tester.ReadFlows(Parse<v1::ReadFlowsRequest>(message), kTake, client);
    },
    [](Tester& tester, Block message, Client& client) {
      tester.ReadStamps(Parse<v1::ReadStampsRequest>(message), kTake, client);
    },
    [](Tester& tester, Block message, Client& client) {
      tester.single_frames().Inject(Parse<v1::InjectRequest>(message), client);
    },
    [](Tester& tester, Block message, Client& client) {
      tester.single_frames().Resolve(
          Parse<v1::ResolveRequest>(message), [] { return true; }, client);
    },
    [](Tester& tester, Block message, Client& client) {
      tester.StartCapture(Parse<v1::StartCaptureRequest>(message).capture(), client);
    },
    [](Tester& tester, Block message, Client& client) {
      const std::string name = Parse<v1::StopCaptureRequest>(message).name();
      tester.StopCapture(name, client);
      tester.ReadCapture(name, kTake, client);
    },
    [](Tester& tester, Block message, Client& client) {
      tester.ForgetCapture(Parse<v1::ForgetCaptureRequest>(message).name(), client);
    },
    [](Tester& tester, Block message, Client& client) {
      tester.StartQuery(Parse<v1::StartQueryRequest>(message).query(), client);
    },
    [](Tester& tester, Block message, Client& client) {
      const auto request = Parse<v1::ReadQueryRequest>(message);
      tester.ReadQuery(request, kTake, client);
      tester.StopQuery(request.name(), client);
    },
    [](Tester& tester, Block message, Client& client) {
      tester.ForgetQuery(Parse<v1::ForgetQueryRequest>(message).name(), client);
    },
    [](Tester& tester, Block, Client&) { tester.ReadClock(); },
};

Block TakeBlock(Block& data) {
  if (data.size() < 2) return {};
  const size_t bytes = std::min<size_t>(wire::Load16(data.data()), data.size() - 2);
  const Block block = data.subspan(2, bytes);
  data = data.subspan(2 + bytes);
  return block;
}

void Ask(Tester& tester, const Call& call, Block message, Client& client) {
  try {
    call(tester, message, client);
  } catch (const Error& error) {
    if (error.what()[0] == '\0') __builtin_trap();
  }
}

// Ends the lease. Everything loaded with or without it is gone.
void CleanUp(Tester& tester) {
  Client client{.name = "next", .token = {}};
  v1::AcquireLeaseRequest request;
  request.set_owner("next");
  request.set_ttl_ns(1'000'000'000);
  request.set_force(true);
  client.token = tester.AcquireLease(request, client).token();
  const v1::Snapshot snapshot = tester.TakeSnapshot({}, client);
  if (snapshot.jobs_size() + snapshot.captures_size() + snapshot.queries_size() != 0) {
    __builtin_trap();
  }
  tester.ReleaseLease(client);
  if (!tester.workers().Usable()) __builtin_trap();
}

}  // namespace
}  // namespace tester

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tester;  // NOLINT(google-build-using-namespace)
  std::array<Client, 2> clients = {Client{.name = "alice", .token = {}},
                                   Client{.name = "bob", .token = {}}};
  Block rest(data, size);
  for (size_t calls = 0; !rest.empty() && calls < kMostCalls; ++calls) {
    const uint8_t kind = rest[0];
    rest = rest.subspan(1);
    const Block message = TakeBlock(rest);
    Ask(TheTester(), kCalls[(kind & 0x7F) % kCalls.size()], message, clients[kind >> 7]);
  }
  CleanUp(TheTester());
  return 0;
}
