// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "tester/queries.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "plan/validate_query.h"

namespace tester {
namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;

uint64_t Mebibytes(uint64_t bytes) { return (bytes + kMebibyte - 1) / kMebibyte; }

// Ids of a query's streams; null where it wants every frame.
std::shared_ptr<const StreamSet> StreamIds(const QueryPlan& plan, const LoadedJobs& jobs) {
  if (plan.streams.empty() && !plan.foreign) return nullptr;
  auto ids = std::make_shared<StreamSet>();
  ids->set(0, plan.foreign);
  for (const auto& [name, job] : jobs) {
    for (const auto& stream : job->streams) {
      const bool wanted = std::ranges::find(plan.streams, stream.plan.name) != plan.streams.end();
      if (wanted) ids->set(stream.plan.id);
    }
  }
  return ids;
}

}  // namespace

std::shared_ptr<Query> Queries::Find(const std::string& name) const {
  const auto at = queries_.find(name);
  if (at != queries_.end()) return at->second;
  std::vector<std::string> known;
  for (const auto& [other, query] : queries_) known.push_back(Quote(other));
  throw Error(Code::kNotFound, Cat("no query ", Quote(name), "; there are ", Join(known)));
}

std::vector<std::shared_ptr<Query>> Queries::All() const {
  std::vector<std::shared_ptr<Query>> all;
  for (const auto& [name, query] : queries_) all.push_back(query);
  return all;
}

void Queries::Add(const QueryPlan& plan, uint64_t now_ns) {
  const std::string where = Cat("query ", Quote(plan.name));
  if (queries_.contains(plan.name)) {
    throw Error(Code::kAlreadyExists, Cat(where, ": there is one of that name; forget it first"));
  }
  if (queries_.size() >= kMaxQueries) {
    throw Error(Code::kResourceExhausted,
                Cat(where, ": there are ", queries_.size(), " queries, stopped ones included, and ",
                    "max_queries is ", kMaxQueries,
                    "; give it the name of a stopped one, whose result it replaces"));
  }
  std::vector<bool> workers(workers_);
  for (size_t port = 0; port < ports_; ++port) {
    if (plan.ports[port]) workers[port % workers_] = true;
  }
  uint64_t taken = 0;
  for (const auto& [name, query] : queries_) taken += query->memory_bytes();
  const uint64_t needed = Query::BytesOf(plan, workers);
  if (taken + needed > kMaxQueryBytes) {
    throw Error(Code::kResourceExhausted,
                Cat(where, ": room for ", plan.capacity, " keys of ", plan.key_bytes,
                    " bytes takes ", Mebibytes(needed), " MiB, other queries have ",
                    Mebibytes(taken), " MiB, and max_query_bytes is ", kMaxQueryBytes / kMebibyte,
                    " MiB: ", Mebibytes(taken + needed - kMaxQueryBytes),
                    " MiB too much; ask for fewer or shorter keys, or give it the name of a ",
                    "stopped one, whose result it replaces"));
  }
  queries_[plan.name] =
      std::make_shared<Query>(std::make_shared<const QueryPlan>(plan), workers, now_ns);
}

void Queries::AddTaps(const LoadedJobs& jobs, size_t worker, PortTaps& taps) const {
  for (const auto& [name, query] : queries_) {
    const QueryPlan& plan = query->plan();
    if (!query->running() || !plan.ports[taps.port]) continue;
    const QueryTap tap{.lane = query->lane(worker), .streams = StreamIds(plan, jobs)};
    if (plan.transmitted) taps.transmitted.queries.push_back(tap);
    if (plan.received) taps.received.queries.push_back(tap);
  }
}

void Queries::AddGaps(size_t worker, uint16_t port, GapWatch& watch) const {
  for (const auto& [name, query] : queries_) {
    if (!query->running() || !query->plan().ports[port]) continue;
    const std::shared_ptr<QueryLane>& lane = query->lane(worker);
    watch.Add(
        {.owner = lane, .gaps = &lane->gaps(), .since_ns = query->started_ns(), .job = nullptr});
  }
}

void FillQuery(const Query& query, v1::QueryCounters& out) {
  const Query::Counted counted = query.counted();
  out.set_name(query.plan().name);
  out.set_running(query.running());
  out.set_seen(counted.seen);
  out.set_matched(counted.matched);
  out.set_missed(counted.missed);
  out.set_memory_bytes(query.memory_bytes());
  out.set_worst_worker_gap_ns(counted.worst_gap_ns);
}

}  // namespace tester
