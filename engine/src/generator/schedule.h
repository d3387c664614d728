// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The schedule of one start of a stream: a law of departures, and the laws that updates have put in
// its place. Immutable: a change makes a new schedule, and the stream goes on with that.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/saturate.h"
#include "generator/laws/departures.h"

namespace tester {

class Frames;
struct Cursor;

// From an instant until the next segment begins.
struct ScheduleSegment {
  uint64_t begin_ns;
  std::shared_ptr<const Departures> departures;
  std::shared_ptr<const Frames> frames;
  std::shared_ptr<Cursor> cursor;  // place in the frames; used by the worker only
  uint64_t contents = 0;           // number of the segment that these frames began with

  // The instant that times of the law count from.
  uint64_t LawNs() const { return AddSaturating(begin_ns, departures->offset_ns()); }
};

class Schedule {
 public:
  // 0 for duration_ns or max_packets: no such limit.
  Schedule(ScheduleSegment first, uint64_t duration_ns, uint64_t max_packets);

  // This schedule until segment.begin_ns, a result of ChangeNs, and `segment` afterwards, whose
  // first frame it computes. Segments before number `done` are dropped.
  Schedule Updated(ScheduleSegment segment, uint64_t done) const;

  // This schedule, ended at end_ns. Frames due before are sent until grace_ns later.
  Schedule EndedAt(uint64_t end_ns, uint64_t grace_ns) const;

  // The earliest instant at which an update can begin, now_ns or later.
  uint64_t ChangeNs(uint64_t now_ns) const;

  // Segments are numbered from the start on; the first one is 0.
  const ScheduleSegment& segment(uint64_t number) const { return segments_[number - first_]; }
  const ScheduleSegment& last_segment() const { return segments_.back(); }
  bool IsLast(uint64_t number) const;
  // The end of a segment: the begin of the next one, or the end of the schedule.
  uint64_t EndOf(uint64_t number) const;

  uint64_t max_packets() const { return max_packets_; }
  bool counts_packets() const { return max_packets_ != UINT64_MAX; }
  // When to give up a stream that owes frames. `complete_ns`: since when it is known that no more
  // will be due; kNever while it is not.
  uint64_t GiveUpNs(uint64_t complete_ns) const;

 private:
  uint64_t start_ns_;
  uint64_t end_ns_;  // exclusive
  uint64_t max_packets_;
  uint64_t give_up_ns_;
  uint64_t first_ = 0;  // number of segments_[0]
  std::vector<ScheduleSegment> segments_;
};

}  // namespace tester
