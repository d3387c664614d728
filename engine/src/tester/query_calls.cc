// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Queries for clients: they are started, stopped and read independently of jobs.
#include "base/log.h"
#include "base/text.h"
#include "plan/validate_query.h"
#include "tester/tester.h"

namespace tester {
namespace {

constexpr size_t kRowsChunkBytes = 1U << 20;
constexpr size_t kRowBytes = 32;  // bytes of a row in a message, without its keys

void FillRow(const Query::Row& row, v1::QueryRow& out) {
  out.set_keys(row.keys);
  out.set_frames(row.frames);
  if (row.value) out.set_value(*row.value);
}

}  // namespace

uint64_t Tester::StartQuery(const v1::Query& request, const Client& client) {
  CheckStillLeased(client);
  QueryPlan plan = ValidateQuery(request, ports_.limits());
  const std::lock_guard lock(mutex_);
  CheckLease(client);
  RefuseEnded();
  plan.lease = lease_.Number();
  queries_.Add(plan, clock_.Now());
  try {
    Publish();
  } catch (...) {
    queries_.Remove(plan.name);
    throw;
  }
  const auto query = queries_.Find(plan.name);
  Log(LogLevel::kInfo, "query",
      {{"name", plan.name}, {"memory_bytes", static_cast<int64_t>(query->memory_bytes())}});
  return query->started_ns();
}

void Tester::EndQuery(const std::shared_ptr<Query>& query) {
  if (!query->running()) return;
  query->End(clock_.Now());
  Publish();
}

void Tester::StopQuery(const std::string& name, const Client& client) {
  const std::lock_guard lock(mutex_);
  CheckLease(client);
  const auto query = queries_.Find(name);
  if (query->running()) workers_.WaitTwoLoops();  // a frame that has arrived may not have been seen
  EndQuery(query);
  Log(LogLevel::kInfo, "query stopped", {{"name", name}});
}

void Tester::ReadQuery(const v1::ReadQueryRequest& request,
                       const std::function<bool(const v1::QueryRows&)>& write,
                       const Client& client) {
  std::unique_lock lock(mutex_);
  CheckLease(client);
  // It survives a ForgetQuery meanwhile.
  const std::shared_ptr<const Query> query = queries_.Find(request.name());
  const uint64_t stopped_ns = query->stopped_ns();
  v1::QueryRows chunk;
  FillQuery(*query, *chunk.mutable_summary()->mutable_counters());
  lock.unlock();
  const size_t bytes = query->plan().key_bytes;
  if (request.has_keys() && request.keys().size() != bytes) {
    throw Error(Code::kInvalidArgument, Cat("query ", Quote(request.name()), ": keys of ",
                                            request.keys().size(), " bytes; its own have ", bytes));
  }
  chunk.mutable_summary()->set_keys(query->keys());
  chunk.mutable_summary()->set_started_ns(query->started_ns());
  chunk.mutable_summary()->set_read_ns(stopped_ns != 0 ? stopped_ns : clock_.Now());
  const size_t most = kRowsChunkBytes / (kRowBytes + bytes);
  const auto add = [&](const Query::Row& row) {
    FillRow(row, *chunk.add_rows());
    if (static_cast<size_t>(chunk.rows_size()) < most) return true;
    const bool more = write(chunk);
    chunk.Clear();
    if (more) CheckStillLeased(client);
    return more;
  };
  if (request.has_keys()) {
    if (const auto row = query->Find(request.keys())) add(*row);
  } else {
    query->Read(request.has_top() ? std::optional(request.top()) : std::nullopt, add);
  }
  if (chunk.has_summary() || chunk.rows_size() > 0) write(chunk);
}

void Tester::ForgetQuery(const std::string& name, const Client& client) {
  const std::lock_guard lock(mutex_);
  CheckLease(client);
  EndQuery(queries_.Find(name));
  queries_.Remove(name);
}

}  // namespace tester
