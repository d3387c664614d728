// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// What one worker has for one query: the table of its keys, and the frames of the burst in hand.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/burst.h"
#include "base/counter.h"
#include "query/key_table.h"
#include "query/query_plan.h"

namespace tester {

class QueryLane {
 public:
  // Intervals begin at `started_ns`.
  QueryLane(std::shared_ptr<const QueryPlan> plan, uint64_t started_ns);

  static KeyTable::Layout LayoutOf(const QueryPlan& plan);

  // The worker's: a burst is begun, has frames, at most kBurst, and is published up to one of them.
  void Begin() { seen_now_ = found_ = 0; }
  bool needs_transport() const { return needs_transport_; }
  // A frame of one of its ports in its direction; `wanted`: of its streams.
  void See(const QueriedFrame& queried, bool wanted);
  // The first `count` have gone through the port; the others were taken back.
  void Publish(size_t count);

  // The reader's.
  const KeyTable& table() const { return table_; }
  uint64_t seen() const { return seen_.Get(); }
  uint64_t matched() const { return matched_.Get(); }
  uint64_t missed() const { return missed_.Get(); }

 private:
  struct Found {
    KeyTable::Key key;
    uint64_t hash;
    uint64_t value;
    uint64_t now_ns;
    uint16_t place;  // in the burst
  };

  // Keys that follow each other in the frame and in the row, as they are.
  struct Run {
    QueryOperand operand;
    size_t offset;  // in the key of a row
  };

  static std::vector<Run> RunsOf(const QueryPlan& plan);
  bool Passes(const QueriedFrame& queried) const;
  bool FindKey(const QueriedFrame& queried, KeyTable::Key& key) const;
  bool FindMasked(const QueriedFrame& queried, KeyTable::Key& key) const;
  bool FindValue(const QueriedFrame& queried, uint64_t& value) const;
  void Count(const Found& found);

  const std::shared_ptr<const QueryPlan> plan_;
  const uint64_t started_ns_;
  const std::vector<Run> runs_;  // none: keys have masks, or opposites
  const bool needs_transport_;
  const size_t key_words_;
  KeyTable table_;
  Counter seen_;
  Counter matched_;
  Counter missed_;
  // Used by the worker only.
  uint16_t seen_now_ = 0;
  uint16_t found_ = 0;
  std::array<Found, kBurst> burst_;
};

// Of two values of one key.
uint64_t Reduced(QueryValue::Function function, uint64_t left, uint64_t right);

}  // namespace tester
