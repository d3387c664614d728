// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A query from its start until it is forgotten, and the rows that it has found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "query/query_lane.h"
#include "query/query_plan.h"

namespace tester {

class Query {
 public:
  struct Row {
    std::string keys;  // bytes, one key after the other
    uint64_t frames;
    std::optional<uint64_t> value;
  };

  // `workers`: the workers of its ports; only they have a table.
  Query(std::shared_ptr<const QueryPlan> plan, const std::vector<bool>& workers,
        uint64_t started_ns);

  // The memory that its tables take.
  static uint64_t BytesOf(const QueryPlan& plan, const std::vector<bool>& workers);

  const QueryPlan& plan() const { return *plan_; }
  uint64_t started_ns() const { return started_ns_; }
  uint64_t stopped_ns() const { return stopped_ns_; }
  uint64_t memory_bytes() const { return memory_bytes_; }
  bool running() const { return stopped_ns_ == 0; }
  // No worker is to have its lanes from now on.
  void End(uint64_t now_ns) { stopped_ns_ = now_ns; }

  // nullptr for a worker that serves none of its ports.
  const std::shared_ptr<QueryLane>& lane(size_t worker) const { return lanes_[worker]; }

  struct Counted {
    uint64_t seen = 0;
    uint64_t matched = 0;
    uint64_t missed = 0;
    uint64_t worst_gap_ns = 0;  // the longest gap in polling one of its ports
  };
  Counted counted() const;

  // The number of different keys in all tables.
  uint64_t keys() const;
  // All rows by ascending keys; with `most` only as many, the greatest results first. `write`
  // returns whether it wants more.
  void Read(std::optional<uint32_t> most, const std::function<bool(const Row&)>& write) const;
  // The row of a key.
  std::optional<Row> Find(const std::string& keys) const;

 private:
  enum class Order : uint8_t { kAny, kByKeys };

  // Rows of all tables, each key once.
  void ForEach(Order order, const std::function<bool(const Row&)>& visit) const;
  Row RowOf(const KeyTable::Row& row) const;

  const std::shared_ptr<const QueryPlan> plan_;
  const uint64_t started_ns_;
  const uint64_t memory_bytes_;
  uint64_t stopped_ns_ = 0;
  std::vector<std::shared_ptr<QueryLane>> lanes_;  // by worker
};

}  // namespace tester
