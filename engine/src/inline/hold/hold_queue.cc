// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/hold/hold_queue.h"

#include <algorithm>

namespace tester {
namespace {

bool LeavesBefore(const HeldFrame& a, const HeldFrame& b) {
  return a.due_ns != b.due_ns ? a.due_ns < b.due_ns : a.number < b.number;
}

// Orders a heap whose top leaves first.
bool LeavesAfter(const HeldFrame& a, const HeldFrame& b) { return LeavesBefore(b, a); }

}  // namespace

HoldQueue::HoldQueue(size_t most) : ordered_(most) { loose_.reserve(most); }

uint64_t HoldQueue::PushOrdered(FrameStore::Stored stored, uint64_t due_ns) {
  floor_ns_ = std::max(floor_ns_, due_ns);
  size_t end = begin_ + ordered_count_;
  if (end >= ordered_.size()) end -= ordered_.size();
  ordered_[end] = {.due_ns = floor_ns_, .number = number_++, .stored = stored};
  ++ordered_count_;
  return floor_ns_;
}

void HoldQueue::PushLoose(FrameStore::Stored stored, uint64_t due_ns) {
  loose_.push_back({.due_ns = due_ns, .number = number_++, .stored = stored});
  std::ranges::push_heap(loose_, LeavesAfter);
}

bool HoldQueue::LooseIsNext() const {
  if (ordered_count_ == 0 || loose_.empty()) return ordered_count_ == 0;
  return LeavesBefore(loose_.front(), first_ordered());
}

std::optional<HeldFrame> HoldQueue::Pop(uint64_t now_ns) {
  if (next_due_ns() > now_ns) return std::nullopt;
  if (LooseIsNext()) {
    std::ranges::pop_heap(loose_, LeavesAfter);
    const HeldFrame frame = loose_.back();
    loose_.pop_back();
    return frame;
  }
  const HeldFrame frame = first_ordered();
  begin_ = begin_ + 1 == ordered_.size() ? 0 : begin_ + 1;
  --ordered_count_;
  return frame;
}

uint64_t HoldQueue::next_due_ns() const {
  const uint64_t ordered = ordered_count_ == 0 ? kNever : first_ordered().due_ns;
  return loose_.empty() ? ordered : std::min(ordered, loose_.front().due_ns);
}

}  // namespace tester
