// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The flows of one direction of stamps, in the order in which they appeared, with their counters.
// Used by one worker; any thread may read counters. It allocates when it is made.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/counter.h"
#include "base/huge_array.h"
#include "base/open_table.h"
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
    // Below 2^32 the square of a delay is one word; a longer one adds several.
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

// Counters that every packet of a flow touches.
struct alignas(128) StampFlow {
  Counter sent;
  Counter received;
  // Used by the worker only: of the newest packet that has arrived, when it was sent.
  uint64_t newest_ns = 0;
  uint64_t last_delay_ns = 0;
  DelayFigures delay;
};
static_assert(sizeof(StampFlow) == 128);

// Counters that few packets touch.
struct StampFlowOddities {
  Counter reordered;
  Counter late;
  Counter duplicated;
  Counter ambiguous;
  FlowEnds ends;
};

class StampFlows {
 public:
  // The first flows have a histogram of delays.
  static constexpr uint32_t kWithHistogram = 256;
  static constexpr uint32_t kNone = UINT32_MAX;

  explicit StampFlows(uint32_t capacity);

  void Prefetch(uint64_t hash) const { slots_.Prefetch(hash); }
  // The number of a packet's flow, which may be its first packet; kNone without room. `ends`
  // returns the flow's ends, and is called for the first packet of a flow.
  template <typename Ends>
  uint32_t Find(uint64_t hash, const Ends& ends) {
    FlowSlot& slot = slots_.Find(hash, [hash](FlowSlot used) { return used.Has(hash); });
    if (!slot.IsFree()) [[likely]]
      return slot.number();
    return count() == capacity_ ? kNone : Enter(slot, hash, ends());
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
  // The upper bits of a hash, and a number plus one.
  struct FlowSlot {
    static constexpr uint64_t kNumberMask = (1 << 21) - 1;

    uint64_t word = 0;

    bool IsFree() const { return word == 0; }
    bool Has(uint64_t hash) const { return ((word ^ hash) & ~kNumberMask) == 0; }
    uint32_t number() const { return static_cast<uint32_t>(word & kNumberMask) - 1; }
    void Set(uint64_t hash, uint32_t number) { word = (hash & ~kNumberMask) | (number + 1); }
  };

  // Adds a flow; there is room.
  uint32_t Enter(FlowSlot& slot, uint64_t hash, const FlowEnds& ends);

  const uint32_t capacity_;
  Counter count_;
  OpenTable<FlowSlot, HugeArray> slots_;
  HugeArray<StampFlow> flows_;
  HugeArray<StampFlowOddities> oddities_;
  std::vector<std::unique_ptr<Histogram>> histograms_;
};

}  // namespace tester
