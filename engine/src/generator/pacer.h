// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The progress of one start of a stream in its schedule: the frames due, the frames sent, and when
// to look again. Used by the worker only; every call gets the newest schedule.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "generator/laws/law_place.h"
#include "generator/schedule.h"

namespace tester {

class Pacer {
 public:
  // What is due is sent for so long, back to back. Frames that are still not sent then are given
  // up: a burst of them would be another load than the one that was asked for.
  static constexpr uint64_t kMostDebtNs = 50'000'000;

  explicit Pacer(const Schedule& schedule);

  // Frames to send next, all of one segment.
  struct PacedBatch {
    uint64_t segment;
    uint64_t first;          // counted from the stream's start, without those given up
    uint64_t segment_first;  // the first one of the segment
    uint64_t due_ns;         // of `first`
    uint16_t count;          // may be 0
  };
  // The frames that are due at now_ns and not sent, at most `most`; the rest has to wait for
  // another call.
  PacedBatch Next(const Schedule& schedule, uint64_t now_ns, uint16_t most);

  // `count` frames of the batch from Next have left. Returns when the last one of them was due.
  uint64_t Sent(const Schedule& schedule, uint16_t count);

  // The next instant at which the stream needs service, possibly now; kNever: it is over.
  uint64_t WakeNs(const Schedule& schedule, uint64_t now_ns) const;

  // A change of the schedule asks for a look earlier than it had said.
  uint64_t WakeAtChangeNs(const Schedule& schedule) const {
    return schedule.EndOf(counted_.segment);
  }

  // How many frames are known to be due, since the start.
  uint64_t intended() const { return intended_; }
  // How many of these are not sent any more, as they were due longer than kMostDebtNs ago.
  uint64_t given_up() const { return given_up_; }
  // Before this segment nothing remains to be sent.
  uint64_t segment() const { return sent_.segment; }

 private:
  struct Position {
    uint64_t segment = 0;
    uint64_t base = 0;  // frames of the segments before
    LawPlace place;

    uint64_t Frame() const { return base + place.frame; }
  };

  // Updates the number of frames due.
  void Look(const Schedule& schedule, uint64_t now_ns);
  void GiveUpDebt(const Schedule& schedule, uint64_t now_ns);
  // True once no more frames will be due.
  bool Count(const Schedule& schedule, uint64_t now_ns);
  bool GivesUp(const Schedule& schedule, uint64_t now_ns) const;
  uint64_t OwedOfSegment() const;
  static void MoveOn(const Schedule& schedule, Position& position);

  // A stream that owes more than it may send does not read its law for this time.
  static constexpr uint64_t kLookNs = 10'000;
  // A stream that is later than this many updates counts no further until it has caught up.
  static constexpr size_t kMostSegments = 16;

  Position counted_;  // the first frame that is not yet known to be due
  Position sent_;     // the first frame that is not sent
  uint64_t intended_ = 0;
  uint64_t given_up_ = 0;
  uint64_t given_up_before_ = 0;  // in the segments before that of sent_
  uint64_t looked_ns_ = 0;
  uint64_t complete_ns_ = kNever;
  // The first frames of segments up to that of counted_; segment n is at n % kMostSegments.
  std::array<uint64_t, kMostSegments> bases_{};
};

}  // namespace tester
