// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/schedule.h"

#include <algorithm>

namespace tester {
namespace {

constexpr uint64_t kShortestGraceNs = 1'000'000'000;
constexpr uint64_t kGraceShare = 10;  // of the time it should have taken

uint64_t AddSaturating(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

}  // namespace

Schedule::Schedule(const Rate& rate, uint64_t start_ns, uint64_t duration_ns, uint64_t max_packets)
    : current_{.from_ns = start_ns, .base = 0, .rate = rate},
      start_ns_(start_ns),
      end_ns_(duration_ns == 0 ? UINT64_MAX : AddSaturating(start_ns, duration_ns)),
      max_packets_(max_packets == 0 ? UINT64_MAX : max_packets) {
  SetLimits();
}

Schedule Schedule::Updated(const Rate& rate, uint64_t from_ns) const {
  Schedule updated = *this;
  if (from_ns >= next_.from_ns) updated.current_ = next_;
  const Segment& last = updated.current_;
  const uint64_t base = last.base + DueBefore(last.rate, from_ns - last.from_ns);
  updated.next_ = {.from_ns = from_ns, .base = base, .rate = rate};
  updated.SetLimits();
  return updated;
}

Schedule Schedule::EndedAt(uint64_t end_ns, uint64_t grace_ns) const {
  Schedule ended = *this;
  ended.end_ns_ = std::min(end_ns_, std::max(end_ns, start_ns_ + 1));
  ended.SetLimits();
  ended.give_up_ns_ = std::min(give_up_ns_, AddSaturating(end_ns, grace_ns));
  return ended;
}

uint64_t Schedule::ChangeNs(uint64_t now_ns) const {
  const uint64_t last = next_.from_ns == UINT64_MAX ? current_.from_ns : next_.from_ns;
  return std::max(now_ns, last);
}

void Schedule::SetLimits() {
  total_ = max_packets_;
  if (end_ns_ != UINT64_MAX) {
    const Segment& segment = end_ns_ < next_.from_ns ? current_ : next_;
    const uint64_t before = DueBefore(segment.rate, end_ns_ - segment.from_ns);
    total_ = std::min(max_packets_, AddSaturating(segment.base, before));
  }
  const uint64_t last_due = max_packets_ == UINT64_MAX ? UINT64_MAX : DueNs(max_packets_ - 1);
  const uint64_t nominal_end = std::min(end_ns_, last_due);
  const uint64_t grace = std::max(kShortestGraceNs, (nominal_end - start_ns_) / kGraceShare);
  give_up_ns_ = AddSaturating(nominal_end, grace);
}

uint64_t Schedule::Unlimited(uint64_t now_ns) const {
  const Segment& segment = now_ns < next_.from_ns ? current_ : next_;
  if (now_ns < segment.from_ns) return 0;
  return AddSaturating(segment.base, DueBy(segment.rate, now_ns - segment.from_ns));
}

uint64_t Schedule::Due(uint64_t now_ns) const { return std::min(total_, Unlimited(now_ns)); }

uint64_t Schedule::DueNs(uint64_t k) const {
  if (k >= total_) return UINT64_MAX;
  const bool in_next = next_.from_ns != UINT64_MAX && k >= next_.base;
  const Segment& segment = in_next ? next_ : current_;
  return AddSaturating(segment.from_ns, DueTime(segment.rate, k - segment.base));
}

bool Schedule::Over(uint64_t now_ns, uint64_t sent, uint64_t owed) const {
  if (sent >= max_packets_ || now_ns >= give_up_ns_) return true;
  return now_ns >= end_ns_ && sent >= owed;
}

uint64_t Schedule::NextEventNs(uint64_t sent) const { return std::min(DueNs(sent), end_ns_); }

}  // namespace tester
