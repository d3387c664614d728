// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/transmit.h"

#include <rte_ethdev.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "wire/ethernet.h"
#include "wire/signature.h"

namespace tester {
namespace {

using Burst = std::array<rte_mbuf*, kBurst>;

bool Allocate(rte_mempool* pool, rte_mbuf** mbufs, unsigned count) {
  return rte_mempool_get_bulk(pool, reinterpret_cast<void**>(mbufs), count) == 0;
}

void PutBack(rte_mempool* pool, rte_mbuf** mbufs, unsigned count) {
  rte_mempool_put_bulk(pool, reinterpret_cast<void* const*>(mbufs), count);
}

void Write(rte_mbuf* mbuf, Frame frame) {
  rte_pktmbuf_reset(mbuf);
  mbuf->data_len = static_cast<uint16_t>(frame.size());
  mbuf->pkt_len = static_cast<uint32_t>(frame.size());
  std::memcpy(rte_pktmbuf_mtod(mbuf, void*), frame.data(), frame.size());
}

void CountSent(Port& port, uint16_t sent, uint16_t refused, uint64_t bytes) {
  port.counters.tx_packets.Add(sent);
  port.counters.tx_bytes.Add(bytes);
  if (refused != 0) port.counters.tx_refused.Add(refused);
}

void CountSent(StreamTx& tx, const SendEntry& entry, uint64_t first, uint64_t sent,
               uint64_t now_ns) {
  if (first == 0) tx.first_ns.Set(now_ns);
  tx.last_ns.Set(now_ns);
  const uint64_t due_ns = entry.schedule.DueNs(first);
  if (due_ns < now_ns) tx.worst_lateness_ns.Raise(now_ns - due_ns);
  tx.packets.Add(sent);
  tx.bytes.Add(sent * (entry.frame->bytes.size() + wire::kFcsBytes));
}

}  // namespace

uint16_t SendTemplate(Port& port, const Template& frame, uint64_t sequence, uint64_t now_ns,
                      uint16_t count) {
  Burst mbufs;
  if (!Allocate(port.tx_pool(), mbufs.data(), count)) {
    CountSent(port, 0, count, 0);
    return 0;
  }
  const uint64_t key = frame.key;
  for (uint16_t i = 0; i < count; ++i) {
    if (TemplateKey(mbufs[i]) != key) [[unlikely]] {
      Write(mbufs[i], frame.bytes);
      TemplateKey(mbufs[i]) = key;
    }
  }
  if (frame.signature) {
    const wire::SignatureWriter writer(frame.signature_id, frame.signature_sum, now_ns);
    const size_t offset = frame.SignatureOffset();
    for (uint16_t i = 0; i < count; ++i) {
      writer.Write(rte_pktmbuf_mtod_offset(mbufs[i], uint8_t*, offset), sequence + i);
    }
  }
  const uint16_t sent = rte_eth_tx_burst(port.device(), 0, mbufs.data(), count);
  const auto refused = static_cast<uint16_t>(count - sent);
  if (refused != 0) PutBack(port.tx_pool(), mbufs.data() + sent, refused);
  CountSent(port, sent, refused, uint64_t{sent} * (frame.bytes.size() + wire::kFcsBytes));
  return sent;
}

bool SendFrame(Port& port, Frame frame) {
  rte_mbuf* mbuf = nullptr;
  if (!Allocate(port.tx_pool(), &mbuf, 1)) {
    CountSent(port, 0, 1, 0);
    return false;
  }
  Write(mbuf, frame);
  TemplateKey(mbuf) = 0;
  const bool sent = rte_eth_tx_burst(port.device(), 0, &mbuf, 1) == 1;
  if (!sent) PutBack(port.tx_pool(), &mbuf, 1);
  CountSent(port, sent ? 1 : 0, sent ? 0 : 1, sent ? frame.size() + wire::kFcsBytes : 0);
  return sent;
}

bool ServeStream(Port& port, const SendEntry& entry, uint64_t now_ns) {
  StreamTx& tx = *entry.tx;
  if (now_ns < tx.next_event_ns) return false;
  const uint64_t before = tx.packets.Get();
  // A schedule that took the place of another may know of fewer frames than were due by the other.
  tx.intended.Raise(entry.schedule.Due(now_ns));
  const uint64_t owed = tx.intended.Get();
  uint64_t sent = 0;
  if (owed > before) {
    const auto count = static_cast<uint16_t>(std::min<uint64_t>(kBurst, owed - before));
    sent = SendTemplate(port, *entry.frame, before, now_ns, count);
    if (sent != 0) CountSent(tx, entry, before, sent, now_ns);
  }
  if (entry.schedule.Over(now_ns, before + sent, owed)) {
    tx.next_event_ns = UINT64_MAX;
    tx.sending.store(false, std::memory_order_release);
  } else if (before + sent == owed) {
    tx.next_event_ns = entry.schedule.NextEventNs(owed);
  }
  return sent != 0;
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
