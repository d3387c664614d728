// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "base/order.h"

#include <algorithm>

namespace tester {
namespace {

std::vector<OrderRun> InTurn(size_t frames) {
  std::vector<OrderRun> runs;
  for (size_t i = 0; i < frames; ++i) {
    runs.push_back({.frame = static_cast<uint16_t>(i), .packets = 1});
  }
  return runs;
}

}  // namespace

Order::Order(const std::vector<OrderRun>& runs, size_t frames)
    : Order(runs.empty() ? InTurn(frames) : runs) {}

Order::Order(const std::vector<OrderRun>& runs) {
  uint64_t end = 0;
  for (const auto& run : runs) {
    frames_.push_back(run.frame);
    ends_.push_back(end += run.packets);
  }
}

void Order::Seek(OrderPlace& place, uint64_t number) const {
  const uint64_t within = number % ends_.back();
  const auto run = std::upper_bound(ends_.begin(), ends_.end(), within);
  place.run = static_cast<size_t>(run - ends_.begin());
  place.left = *run - within;
}

void Order::Choose(OrderPlace& place, uint64_t first, size_t count, uint16_t* frames) const {
  if (place.left == 0 || place.next != first) Seek(place, first);
  place.next = first + count;
  for (;;) {
    const auto same = static_cast<size_t>(std::min<uint64_t>(count, place.left));
    frames = std::fill_n(frames, same, frames_[place.run]);
    place.left -= same;
    count -= same;
    if (place.left > 0) return;
    place.run = place.run + 1 == frames_.size() ? 0 : place.run + 1;
    place.left = ends_[place.run] - (place.run == 0 ? 0 : ends_[place.run - 1]);
  }
}

}  // namespace tester
