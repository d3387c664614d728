// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The part of one worker in one query: the table of its keys, the frames of the present burst, and
// the gaps in polling the query's ports.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "base/burst.h"
#include "base/counter.h"
#include "query/key_table.h"
#include "query/query_plan.h"
#include "stats/poll_gaps.h"

namespace tester {

class QueryLane {
 public:
  // Intervals begin at `started_ns`.
  QueryLane(std::shared_ptr<const QueryPlan> plan, uint64_t started_ns);

  static KeyTable::Layout LayoutOf(const QueryPlan& plan);

  // The worker's: it begins a burst, adds at most kBurst frames, and publishes the first of them.
  void Begin(uint64_t now_ns);
  // A frame of one of its ports in its direction; `wanted`: of its streams.
  void See(const QueriedFrame& queried, bool wanted) {
    const uint16_t place = seen_now_++;
    if (wanted && Find(queried, burst_[found_])) places_[found_++] = place;
  }
  // Whole bursts of every stream: `frame_at` gives the QueriedFrame of a place.
  template <typename FrameAt>
  void SeeAll(uint16_t count, FrameAt frame_at) {
    uint16_t found = 0;
    for (uint16_t i = 0; i < count; ++i) {
      if (Find(frame_at(i), burst_[found])) places_[found++] = i;
    }
    found_ = found;
  }
  // The first `count` have gone through the port; the others were taken back.
  void Publish(size_t count);
  // Over all of its ports.
  PollGaps& gaps() { return gaps_; }

  // The reader's.
  const KeyTable& table() const { return table_; }
  uint64_t seen() const { return seen_.Get(); }
  uint64_t matched() const { return matched_.Get(); }
  uint64_t missed() const { return missed_.Get(); }
  uint64_t worst_gap_ns() const { return gaps_.worst_ns.Get(); }

 private:
  // Keys that are adjacent in the frame and in the row, without change.
  struct KeyRun {
    QueryOperand operand;
    size_t offset;  // in the key of a row
  };

  static std::vector<KeyRun> RunsOf(const QueryPlan& plan);
  static size_t PlainEndOf(const QueryPlan& plan, const std::vector<KeyRun>& runs);
  static void Copy(const uint8_t* from, size_t bytes, uint8_t* to) {
    if (bytes == sizeof(uint64_t)) {
      std::memcpy(to, from, sizeof(uint64_t));
    } else if (bytes == sizeof(uint32_t)) {
      std::memcpy(to, from, sizeof(uint32_t));
    } else {
      std::memcpy(to, from, bytes);
    }
  }
  // All bytes that keys do not write.
  void BeginKey(KeyTable::Key& key) const {
    key[key_words_ - 1] = 0;
    if (has_interval_) key[0] = interval_;
  }
  void FindPlain(const QueriedFrame& queried, KeyTable::Occurrence& found) const {
    BeginKey(found.key);
    const uint8_t* const network = queried.frame.data() + wire::kMacHeaderBytes;
    auto* const bytes = reinterpret_cast<uint8_t*>(found.key.data());
    for (const KeyRun& run : runs_) {
      Copy(network + run.operand.offset, run.operand.bytes, bytes + run.offset);
    }
    found.value = queried.length();
  }
  bool Find(const QueriedFrame& queried, KeyTable::Occurrence& found) const {
    if (queried.plain_end() >= plain_end_) [[likely]] {
      FindPlain(queried, found);
      return true;
    }
    return Passes(queried) && FindKey(queried, found.key) && FindValue(queried, found.value);
  }
  bool Passes(const QueriedFrame& queried) const;
  bool FindKey(const QueriedFrame& queried, KeyTable::Key& key) const;
  bool FindMasked(const QueriedFrame& queried, KeyTable::Key& key) const;
  bool FindValue(const QueriedFrame& queried, uint64_t& value) const;
  size_t Count(size_t frames);

  const std::shared_ptr<const QueryPlan> plan_;
  const uint64_t started_ns_;
  const std::vector<KeyRun> runs_;  // none: keys have masks, or opposites
  // A plain packet of IPv4 up to here has all that is asked for: whole fields of its header, and
  // the length; more than any packet has where other things are asked for.
  const size_t plain_end_;
  const bool has_interval_;
  const size_t key_words_;
  KeyTable table_;
  Counter seen_;
  Counter matched_;
  Counter missed_;
  PollGaps gaps_;
  // Used by the worker only.
  uint16_t seen_now_ = 0;
  uint16_t found_ = 0;
  uint64_t now_ns_ = 0;
  uint64_t interval_ = 0;  // its number, big endian
  std::array<KeyTable::Occurrence, kBurst> burst_;
  std::array<uint16_t, kBurst> places_;  // indexes of these frames in the burst
};

// Reduces two values of one key.
uint64_t Reduced(QueryValue::Function function, uint64_t left, uint64_t right);

}  // namespace tester
