// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/stamps/stamp_flows.h"

#include <algorithm>

namespace tester {

void DelayFigures::AddLong(uint64_t delay_ns) {
  // (h 2^32 + l)^2 by the school: no summand is beyond a word, for a delay below 2^48.
  const uint64_t high = delay_ns >> 32;
  const uint64_t low = delay_ns & UINT32_MAX;
  squares.AddHigh(high * high);
  squares.Add(low * low);
  const uint64_t middle = high * low * 2;  // below 2^49
  squares.AddHigh(middle >> 32);
  squares.Add(middle << 32);
}

StampFlows::StampFlows(uint32_t capacity)
    : capacity_(capacity), slots_(size_t{capacity} * 2), flows_(capacity), oddities_(capacity) {
  histograms_.resize(std::min(capacity, kWithHistogram));
  for (auto& histogram : histograms_) histogram = std::make_unique<Histogram>();
}

uint32_t StampFlows::Enter(FlowSlot& slot, uint64_t hash, const FlowEnds& ends) {
  const uint32_t number = count();
  oddities_[number].ends = ends;
  // A reader sees the ends of all flows that are counted.
  std::atomic_thread_fence(std::memory_order_release);
  count_.Set(number + 1);
  slot.Set(hash, number);
  return number;
}

}  // namespace tester
