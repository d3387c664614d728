// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Calls beside the snapshot: flips of versions, flows and stamps.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "snapshot/merge.h"
#include "snapshot/merge_stamps.h"
#include "tester/tester.h"

namespace tester {
namespace {

constexpr uint32_t kChunkFlows = 8192;

std::vector<LoadedStream*> WithVersion(const std::vector<LoadedJob*>& jobs) {
  std::vector<LoadedStream*> streams;
  for (LoadedJob* job : jobs) {
    for (auto& stream : job->streams) {
      if (stream.plan.measurement.version.exists()) streams.push_back(&stream);
    }
  }
  return streams;
}

// The version that all streams have.
uint32_t CommonVersion(const std::vector<LoadedStream*>& streams, std::string_view where) {
  if (streams.empty()) {
    throw Error(Code::kFailedPrecondition, Cat(where, ": no stream of them has a version"));
  }
  const LoadedStream& first = *streams.front();
  for (const LoadedStream* stream : streams) {
    if (stream->tx->flips.Open() == first.tx->flips.Open()) continue;
    throw Error(
        Code::kFailedPrecondition,
        Cat(where, ": stream ", first.plan.id, " ", Quote(first.plan.name), " is in version ",
            first.tx->flips.Open(), " and stream ", stream->plan.id, " ", Quote(stream->plan.name),
            " in version ", stream->tx->flips.Open(), "; flip them apart, or start them together"));
  }
  return first.tx->flips.Open();
}

}  // namespace

v1::FlipResponse Tester::Flip(const Names& names, const Client& client) {
  const std::lock_guard lock(mutex_);
  CheckLease(client);
  const auto streams = WithVersion(jobs_.Find(names));
  v1::FlipResponse response;
  response.set_closed_version(CommonVersion(streams, Cat("flip of ", Join(names))));
  for (LoadedStream* stream : streams) stream->tx->flips.Ask();
  workers_.WaitTwoLoops();
  response.set_flipped_at_ns(clock_.Now());
  return response;
}

void Tester::ReadFlows(const v1::ReadFlowsRequest& request,
                       const std::function<bool(const v1::FlowCounters&)>& write,
                       const Client& client) {
  std::unique_lock lock(mutex_);
  CheckLease(client);
  const std::string where =
      Cat("flows of job ", Quote(request.job()), ", stream ", request.stream_id());
  const LoadedStream& stream = jobs_.FindStream(request.job(), request.stream_id(), where);
  const uint32_t flows = stream.plan.measurement.flows;
  const uint32_t count =
      request.count() == 0 ? flows - std::min(flows, request.first()) : request.count();
  if (request.first() >= flows || count > flows - request.first()) {
    throw Error(Code::kInvalidArgument,
                Cat(where, ": ", count, " from ", request.first(), " on; it has ", flows));
  }
  // They survive an unload of the job meanwhile.
  const std::shared_ptr<const StreamTx> tx = stream.tx;
  const std::shared_ptr<const StreamRx> rx = stream.rx[ports_.FirstWorkerOf(stream.plan.rx_port)];
  lock.unlock();
  const uint32_t end = request.first() + count;
  for (uint32_t first = request.first(); first < end; first += kChunkFlows) {
    v1::FlowCounters chunk;
    FillFlows(*rx->flows, first, std::min(kChunkFlows, end - first), tx->packets, chunk);
    if (!write(chunk)) return;
    CheckAdmitted(client);  // after a stop of the job the counters are not final
  }
}

void Tester::ReadStamps(const v1::ReadStampsRequest& request,
                        const std::function<bool(const v1::StampRecords&)>& write,
                        const Client& client) {
  std::unique_lock lock(mutex_);
  CheckLease(client);
  const std::string where = Cat("stamps ", Quote(request.name()), " of job ", Quote(request.job()));
  const auto& all = jobs_.Find({request.job()}).front()->stamps;
  const auto found = std::ranges::find_if(
      all, [&](const LoadedStamps& stamps) { return stamps.plan->name == request.name(); });
  if (found == all.end()) throw Error(Code::kNotFound, Cat(where, ": the job has no such stamps"));
  const auto direction = static_cast<size_t>(request.heading()) - 1;
  if (direction >= kPathDirections || !Heads(found->plan->heading, direction)) {
    throw Error(Code::kInvalidArgument,
                Cat(where, ": heading ", static_cast<int>(request.heading()),
                    " is none of its directions; they are 1 (forward) and 2 (backward)"));
  }
  // They survive an unload of the job meanwhile.
  const std::shared_ptr<const RunningStamps> running = found->running;
  const uint64_t interval_ns = found->plan->interval_ns;
  lock.unlock();
  if (!running) return;
  WriteStampRecords(*running->directions[direction], interval_ns, [&](const auto& chunk) {
    if (!write(chunk)) return false;
    CheckAdmitted(client);  // after a stop of the job the counters are not final
    return true;
  });
}

}  // namespace tester
