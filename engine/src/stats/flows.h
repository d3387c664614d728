// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Counters of the flows of a stream: frame k belongs to flow k mod n, so nothing is searched for.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/huge_array.h"

namespace tester {

class Flows {
 public:
  struct Counts {
    uint64_t packets;
    uint64_t bytes;
    uint64_t latency_sum_ns;
    uint64_t latency_min_ns;  // 0 while packets is 0
    uint64_t latency_max_ns;
  };
  static_assert(sizeof(Counts) <= 96);

  // `count` flows, at least one.
  explicit Flows(uint32_t count) : counts_(count), count_(count) {}

  // One writer.
  void Add(uint64_t sequence, uint64_t bytes, uint64_t latency_ns) {
    // Frames follow each other, and a division costs as much as all the rest.
    flow_ = sequence == next_sequence_ ? flow_ + 1 : static_cast<uint32_t>(sequence % count_);
    if (flow_ == count_) flow_ = 0;
    next_sequence_ = sequence + 1;
    Counts& flow = counts_[flow_];
    if (flow.packets == 0 || latency_ns < flow.latency_min_ns) Set(flow.latency_min_ns, latency_ns);
    if (latency_ns > flow.latency_max_ns) Set(flow.latency_max_ns, latency_ns);
    Set(flow.packets, flow.packets + 1);
    Set(flow.bytes, flow.bytes + bytes);
    Set(flow.latency_sum_ns, flow.latency_sum_ns + latency_ns);
  }

  uint32_t count() const { return count_; }

  // Counts of one flow; any thread may call it.
  Counts Read(uint32_t flow) const {
    Counts& counts = counts_[flow];
    return {.packets = Get(counts.packets),
            .bytes = Get(counts.bytes),
            .latency_sum_ns = Get(counts.latency_sum_ns),
            .latency_min_ns = Get(counts.latency_min_ns),
            .latency_max_ns = Get(counts.latency_max_ns)};
  }

  // How many of the frames 0 to `frames` - 1 belong to a flow.
  uint64_t Share(uint32_t flow, uint64_t frames) const {
    return frames / count_ + (flow < frames % count_ ? 1 : 0);
  }

 private:
  static void Set(uint64_t& to, uint64_t value) {
    std::atomic_ref<uint64_t>(to).store(value, std::memory_order_relaxed);
  }
  static uint64_t Get(uint64_t& from) {
    return std::atomic_ref<uint64_t>(from).load(std::memory_order_relaxed);
  }

  HugeArray<Counts> counts_;
  uint32_t count_;
  // Worker's own: of the frame before.
  uint32_t flow_ = 0;
  uint64_t next_sequence_ = UINT64_MAX;
};

}  // namespace tester
