// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/events/numbered_flows.h"

#include <algorithm>

namespace tester {
namespace {

// Sequence numbers go round (RFC 9293 section 3.4).
bool ComesBefore(uint32_t a, uint32_t b) { return static_cast<int32_t>(a - b) < 0; }

// Enough slots that a few flows do not collide.
constexpr size_t kFewestSlots = 1024;

}  // namespace

SequenceProgress NumberedFlow::Advance(const Segment& segment, size_t direction) {
  uint32_t& following = next[direction];
  const uint32_t end = segment.sequence + segment.sequence_numbers;
  if (!seen[direction]) {
    seen[direction] = true;
    following = end;
    return {};
  }
  const SequenceProgress progress{.first = ComesBefore(following, end),
                                  .again = ComesBefore(segment.sequence, following)};
  if (progress.first) following = end;
  return progress;
}

NumberedFlows::NumberedFlows(uint32_t capacity)
    : capacity_(capacity), slots_(std::max(kFewestSlots, size_t{capacity} * 2)) {}

NumberedFlow* NumberedFlows::Open(NumberedFlow& flow, const FlowKey& key, const Segment& segment) {
  const bool is_new = flow.IsFree();
  if (is_new && used_ == capacity_) return nullptr;
  const bool reopened =
      segment.opens() && (!flow.opened || flow.opening != segment.sequence) && !is_new;
  if (is_new) ++used_;
  if (is_new || reopened) {
    flow = {};
    flow.key = key;
    flow.number = TakeNumber();
  }
  if (segment.opens()) {
    flow.opened = true;
    flow.opening = segment.sequence;
  }
  return &flow;
}

}  // namespace tester
