// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/device/delay.h"

#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "port/device/device.h"

namespace tester {
namespace {

// Frames under way are buffers of the sending port, which has no more.
constexpr size_t kMostFrames = 8192;

class DelayLine {
 public:
  explicit DelayLine(const DelayRange& range)
      : delay_(CyclesOf(range.least_ns), CyclesOf(range.most_ns)) {
    frames_.reserve(kMostFrames);
  }

  // Queues the received frames and replaces them by the frames that are due, at most `most`.
  uint16_t Serve(rte_mbuf** mbufs, uint16_t came, uint16_t most) {
    const uint64_t now = rte_rdtsc();
    for (uint16_t i = 0; i < came; ++i) {
      const uint64_t due = SentAt(mbufs[i]) + delay_(random_);
      frames_.push_back({.due = due, .number = came_++, .mbuf = mbufs[i]});
      std::push_heap(frames_.begin(), frames_.end(), std::greater());
    }
    uint16_t out = 0;
    for (; out < most && !frames_.empty() && frames_.front().due <= now; ++out) {
      mbufs[out] = frames_.front().mbuf;
      std::pop_heap(frames_.begin(), frames_.end(), std::greater());
      frames_.pop_back();
    }
    return out;
  }

  // When a frame was sent, in cycles; the sender writes it into the second word of the private
  // area, and the first one is the template's.
  static uint64_t& SentAt(rte_mbuf* mbuf) {
    static_assert(kPrivateBytes >= 2 * sizeof(uint64_t));
    return static_cast<uint64_t*>(rte_mbuf_to_priv(mbuf))[1];
  }

 private:
  struct Frame {
    uint64_t due;
    uint64_t number;  // keeps the order of frames of one burst
    rte_mbuf* mbuf;

    bool operator>(const Frame& other) const {
      return due != other.due ? due > other.due : number > other.number;
    }
  };

  static uint64_t CyclesOf(uint64_t nanoseconds) {
    return nanoseconds * (rte_get_tsc_hz() / 1'000'000) / 1000;
  }

  std::vector<Frame> frames_;  // a heap, the earliest first
  uint64_t came_ = 0;
  std::uniform_int_distribution<uint64_t> delay_;
  std::mt19937_64 random_{1};
};

uint16_t Stamp(uint16_t /*device*/, uint16_t /*queue*/, rte_mbuf** mbufs, uint16_t count,
               void* /*argument*/) {
  const uint64_t now = rte_rdtsc();
  for (uint16_t i = 0; i < count; ++i) DelayLine::SentAt(mbufs[i]) = now;
  return count;
}

uint16_t Hold(uint16_t /*device*/, uint16_t /*queue*/, rte_mbuf** mbufs, uint16_t count,
              uint16_t most, void* line) {
  return static_cast<DelayLine*>(line)->Serve(mbufs, count, most);
}

}  // namespace

void DelayArrivals(uint16_t device, uint16_t queues, const DelayRange& range) {
  // Like the rings between the ports, they stay until the process ends.
  static std::vector<std::unique_ptr<DelayLine>> lines;
  for (uint16_t queue = 0; queue < queues; ++queue) {
    lines.push_back(std::make_unique<DelayLine>(range));
    if (rte_eth_add_tx_callback(device, queue, Stamp, nullptr) == nullptr ||
        rte_eth_add_rx_callback(device, queue, Hold, lines.back().get()) == nullptr) {
      throw Error(Code::kInternal, Cat("device ", device, ": ", rte_strerror(rte_errno)));
    }
  }
}

}  // namespace tester
