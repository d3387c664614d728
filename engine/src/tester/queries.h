// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The queries that clients have started, until they forget them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "query/query.h"
#include "tester/loaded.h"
#include "tester/v1/query.pb.h"
#include "worker/gap_watch.h"
#include "worker/taps.h"

namespace tester {

class Queries {
 public:
  Queries(size_t workers, size_t ports) : workers_(workers), ports_(ports) {}

  auto begin() const { return queries_.begin(); }
  auto end() const { return queries_.end(); }
  std::shared_ptr<Query> Find(const std::string& name) const;
  std::vector<std::shared_ptr<Query>> All() const;

  // Throws Error for a name in use, and without room.
  void Add(const QueryPlan& plan, uint64_t now_ns);
  void Remove(const std::string& name) { queries_.erase(name); }

  void AddTaps(const LoadedJobs& jobs, size_t worker, PortTaps& taps) const;
  // Adds the running queries at a port to `watch`, which reports gaps in its polling.
  void AddGaps(size_t worker, uint16_t port, GapWatch& watch) const;

 private:
  size_t workers_;
  size_t ports_;
  std::map<std::string, std::shared_ptr<Query>> queries_;  // stopped ones included
};

void FillQuery(const Query& query, v1::QueryCounters& out);

}  // namespace tester
