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

uint16_t Transmit(const Port& port, rte_mbuf** mbufs, uint16_t count) {
  if (port.fences.load(std::memory_order_relaxed) != 0) [[unlikely]]
    return 0;
  if (port.taps == nullptr) [[likely]] {
    return rte_eth_tx_burst(port.device(), 0, mbufs, count);
  }
  const TapBurst burst(port.taps->transmitted, port.taps->port, port.taps->clock->Now());
  std::for_each_n(mbufs, count, [&burst](const rte_mbuf* mbuf) { burst.See(mbuf); });
  const uint16_t sent = rte_eth_tx_burst(port.device(), 0, mbufs, count);
  burst.Publish(sent);
  return sent;
}

}  // namespace

SentFrames SendBurst(Port& port, rte_mbuf** mbufs, uint16_t count) {
  // The driver owns the buffers that it has taken: their lengths are summed up before.
  uint64_t bytes = BytesOnWire(mbufs, count);
  const uint16_t sent = Transmit(port, mbufs, count);
  const auto refused = static_cast<uint16_t>(count - sent);
  if (refused != 0) [[unlikely]]
    bytes -= BytesOnWire(mbufs + sent, refused);
  port.counters.CountSent(sent, bytes, refused);
  return {.count = sent, .bytes = bytes};
}

bool SendFrame(Port& port, Frame frame) {
  rte_mbuf* mbuf = nullptr;
  if (!Allocate(port.tx_pool(), &mbuf, 1)) {
    port.counters.tx_refused.Add(1);
    return false;
  }
  WriteFrame(frame, mbuf);
  const bool sent = SendBurst(port, &mbuf, 1).count == 1;
  if (!sent) PutBack(port.tx_pool(), &mbuf, 1);
  return sent;
}

bool ServeInject(Port& port) {
  InjectOrder* order = port.inject.load(std::memory_order_acquire);
  if (order == nullptr) return false;
  const size_t first = order->next;
  const size_t last = std::min(order->frames.size(), first + kBurst);
  while (order->next < last && SendFrame(port, order->frames[order->next])) ++order->next;
  const bool sent = order->next != first;
  if (order->next == order->frames.size() || order->withdrawn.load(std::memory_order_relaxed)) {
    port.inject.store(nullptr, std::memory_order_release);  // the order may be gone from here on
  }
  return sent;
}

}  // namespace tester
