// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/transmit.h"

#include <rte_ethdev.h>

#include <algorithm>
#include <numeric>

#include "wire/ethernet.h"
#include "worker/buffers.h"

namespace tester {
namespace {

uint64_t BytesOnWire(rte_mbuf* const* mbufs, unsigned count) {
  return std::accumulate(
      mbufs, mbufs + count, uint64_t{count} * wire::kFcsBytes,
      [](uint64_t bytes, const rte_mbuf* mbuf) { return bytes + mbuf->pkt_len; });
}

uint16_t Transmit(const PortQueue& queue, rte_mbuf** mbufs, uint16_t count) {
  if (queue.port().fences.load(std::memory_order_relaxed) != 0) [[unlikely]]
    return 0;
  if (queue.taps == nullptr) [[likely]] {
    return rte_eth_tx_burst(queue.device(), queue.number(), mbufs, count);
  }
  const TapBurst burst(queue.taps->transmitted, queue.taps->port, queue.taps->clock->Now());
  std::for_each_n(mbufs, count, [&burst](const rte_mbuf* mbuf) { burst.See(mbuf); });
  const uint16_t sent = rte_eth_tx_burst(queue.device(), queue.number(), mbufs, count);
  burst.Publish(sent);
  return sent;
}

}  // namespace

SentFrames SendBurst(PortQueue& queue, rte_mbuf** mbufs, uint16_t count) {
  // The driver owns the buffers that it has taken: their lengths are summed up before.
  uint64_t bytes = BytesOnWire(mbufs, count);
  const uint16_t sent = Transmit(queue, mbufs, count);
  const auto refused = static_cast<uint16_t>(count - sent);
  if (refused != 0) [[unlikely]]
    bytes -= BytesOnWire(mbufs + sent, refused);
  queue.counters.CountSent(sent, bytes, refused);
  return {.count = sent, .bytes = bytes};
}

bool SendFrame(PortQueue& queue, Frame frame) {
  rte_mbuf* mbuf = nullptr;
  if (!Allocate(queue.tx_pool(), &mbuf, 1)) {
    queue.counters.tx_refused.Add(1);
    return false;
  }
  WriteFrame(frame, mbuf);
  const bool sent = SendBurst(queue, &mbuf, 1).count == 1;
  if (!sent) PutBack(queue.tx_pool(), &mbuf, 1);
  return sent;
}

bool ServeInject(PortQueue& queue) {
  InjectOrder* order = queue.inject.load(std::memory_order_acquire);
  if (order == nullptr) return false;
  const size_t first = order->next;
  const size_t last = std::min(order->frames.size(), first + kBurst);
  while (order->next < last && SendFrame(queue, order->frames[order->next])) ++order->next;
  const bool sent = order->next != first;
  if (order->next == order->frames.size() || order->withdrawn.load(std::memory_order_relaxed)) {
    queue.inject.store(nullptr, std::memory_order_release);  // the order may be gone from here on
  }
  return sent;
}

}  // namespace tester
