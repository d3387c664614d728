// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The flows of one direction of stamps, by the order in which they appeared, and what was counted
// of each. Used by one worker, counters are read by anybody; its memory is taken when it is made.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/counter.h"
#include "base/huge_array.h"
#include "inline/stamps/packet_key.h"
#include "stats/histogram.h"
#include "stats/wide.h"

namespace tester {

// Delays of packets, and how they vary from one to the next one of the same flow.
struct DelayFigures {
  Counter count;
  Counter sum_ns;
  WideCounter squares;
  Counter min_ns;  // meaningless while count is 0
  Counter max_ns;
  Counter ipdv_count;
  Counter ipdv_sum_ns;  // of absolute values
  Counter ipdv_max_ns;  // the same

  // `delay_ns` below 2^48.
  void Add(uint64_t delay_ns) {
    if (count.Get() == 0 || delay_ns < min_ns.Get()) min_ns.Set(delay_ns);
    max_ns.Raise(delay_ns);
    count.Add(1);
    sum_ns.Add(delay_ns);
    // Below 2^32 the square of a delay is one word; a longer one adds as many as it is long.
    if (delay_ns < (uint64_t{1} << 32)) [[likely]] {
      squares.Add(delay_ns * delay_ns);
    } else {
      AddLong(delay_ns);
    }
  }
  void AddVariation(uint64_t absolute_ns) {
    ipdv_count.Add(1);
    ipdv_sum_ns.Add(absolute_ns);
    ipdv_max_ns.Raise(absolute_ns);
  }

 private:
  void AddLong(uint64_t delay_ns);
};

// What every packet of a flow touches.
struct alignas(128) StampFlow {
  Counter sent;
  Counter received;
  // Used by the worker only: of the newest packet that has arrived, when it was sent.
  uint64_t newest_ns = 0;
  uint64_t last_delay_ns = 0;
  DelayFigures delay;
};
static_assert(sizeof(StampFlow) == 128);

// What few do.
struct StampFlowOddities {
  Counter reordered;
  Counter late;
  Counter duplicated;
  Counter ambiguous;
  FlowEnds ends;
};

class StampFlows {
 public:
  // Flows whose delays have a histogram: the first ones.
  static constexpr uint32_t kWithHistogram = 256;
  static constexpr uint32_t kNone = UINT32_MAX;

  explicit StampFlows(uint32_t capacity);

  void Prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[Home(hash)]); }
  // The number of the flow of a packet, which may be its first one; kNone where there is no room.
  // `ends` returns where it is from and to, and is asked of the first packet of a flow.
  template <typename Ends>
  uint32_t Find(uint64_t hash, const Ends& ends) {
    const uint64_t upper = hash & ~kNumberMask;
    size_t index = Home(hash);
    for (; slots_[index] != 0; index = (index + 1) & mask_) {
      if ((slots_[index] & ~kNumberMask) == upper) {
        return static_cast<uint32_t>(slots_[index] & kNumberMask) - 1;
      }
    }
    return count() == capacity_ ? kNone : Enter(slots_[index], upper, ends());
  }
  uint32_t count() const { return static_cast<uint32_t>(count_.Get()); }
  void PrefetchFlow(uint32_t flow) const {
    const auto* const lines = reinterpret_cast<const uint8_t*>(&flows_[flow]);
    __builtin_prefetch(lines, 1);
    __builtin_prefetch(lines + sizeof(StampFlow) / 2, 1);
  }

  StampFlow& operator[](uint32_t flow) const { return flows_[flow]; }
  StampFlowOddities& oddities(uint32_t flow) const { return oddities_[flow]; }
  // nullptr for later flows.
  Histogram* histogram(uint32_t flow) const {
    return flow < histograms_.size() ? histograms_[flow].get() : nullptr;
  }

 private:
  static constexpr uint64_t kNumberMask = (1 << 21) - 1;

  // The first packet of a flow has come, and there is room.
  uint32_t Enter(uint64_t& slot, uint64_t upper, const FlowEnds& ends);
  size_t Home(uint64_t hash) const { return static_cast<size_t>(hash >> 20) & mask_; }

  const uint32_t capacity_;
  Counter count_;
  size_t mask_;
  // The upper bits of the hash, and the number plus one below kNumberMask; 0: none.
  HugeArray<uint64_t> slots_;
  HugeArray<StampFlow> flows_;
  HugeArray<StampFlowOddities> oddities_;
  std::vector<std::unique_ptr<Histogram>> histograms_;
};

}  // namespace tester
