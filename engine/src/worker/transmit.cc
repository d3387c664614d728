// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/transmit.h"

#include <rte_ethdev.h>

#include <algorithm>

#include "wire/ethernet.h"
#include "worker/buffers.h"

namespace tester {
uint16_t SendBurst(const Port& port, rte_mbuf** mbufs, uint16_t count) {
  if (port.taps == nullptr) [[likely]] {
    return rte_eth_tx_burst(port.device(), 0, mbufs, count);
  }
  const TapBurst burst(port.taps->transmitted, port.taps->port, port.taps->clock->Now());
  std::for_each_n(mbufs, count, [&burst](const rte_mbuf* mbuf) { burst.See(mbuf); });
  const uint16_t sent = rte_eth_tx_burst(port.device(), 0, mbufs, count);
  burst.Publish(sent);
  return sent;
}

bool SendFrame(Port& port, Frame frame) {
  rte_mbuf* mbuf = nullptr;
  bool sent = Allocate(port.tx_pool(), &mbuf, 1);
  if (sent) {
    WriteFrame(frame, mbuf);
    sent = SendBurst(port, &mbuf, 1) == 1;
    if (!sent) PutBack(port.tx_pool(), &mbuf, 1);
  }
  if (sent) {
    port.counters.tx_packets.Add(1);
    port.counters.tx_bytes.Add(frame.size() + wire::kFcsBytes);
  } else {
    port.counters.tx_refused.Add(1);
  }
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
