// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/schedule.h"

#include <algorithm>
#include <utility>

namespace tester {
namespace {

constexpr uint64_t kShortestGraceNs = 1'000'000'000;
constexpr uint64_t kGraceShare = 10;  // of the time it should have taken

uint64_t WithGrace(uint64_t start_ns, uint64_t end_ns) {
  return AddSaturating(end_ns, std::max(kShortestGraceNs, (end_ns - start_ns) / kGraceShare));
}

}  // namespace

Schedule::Schedule(ScheduleSegment first, uint64_t duration_ns, uint64_t max_packets)
    : start_ns_(first.begin_ns),
      end_ns_(duration_ns == 0 ? kNever : AddSaturating(start_ns_, duration_ns)),
      max_packets_(max_packets == 0 ? UINT64_MAX : max_packets),
      give_up_ns_(WithGrace(start_ns_, end_ns_)),
      segments_{std::move(first)} {}

Schedule Schedule::Updated(ScheduleSegment segment, uint64_t done) const {
  Schedule updated = *this;
  segment.contents = segment.frames == segments_.back().frames ? segments_.back().contents
                                                               : first_ + segments_.size();
  const uint64_t forgotten = std::min<uint64_t>(done - first_, segments_.size() - 1);
  updated.segments_.erase(updated.segments_.begin(),
                          updated.segments_.begin() + static_cast<std::ptrdiff_t>(forgotten));
  updated.first_ += forgotten;
  updated.segments_.push_back(std::move(segment));
  return updated;
}

Schedule Schedule::EndedAt(uint64_t end_ns, uint64_t grace_ns) const {
  Schedule ended = *this;
  ended.end_ns_ = std::min(end_ns_, std::max(end_ns, start_ns_ + 1));
  ended.give_up_ns_ = std::min(give_up_ns_, AddSaturating(end_ns, grace_ns));
  return ended;
}

uint64_t Schedule::ChangeNs(uint64_t now_ns) const {
  return std::max(now_ns, segments_.back().begin_ns);
}

bool Schedule::IsLast(uint64_t number) const {
  const uint64_t next = number - first_ + 1;
  return next == segments_.size() || segments_[next].begin_ns >= end_ns_;
}

uint64_t Schedule::EndOf(uint64_t number) const {
  return IsLast(number) ? end_ns_ : segments_[number - first_ + 1].begin_ns;
}

uint64_t Schedule::GiveUpNs(uint64_t complete_ns) const {
  return std::min(give_up_ns_, WithGrace(start_ns_, complete_ns));
}

}  // namespace tester
