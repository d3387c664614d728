// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/transmit.h"

#include <rte_ethdev.h>

#include <algorithm>
#include <array>

#include "wire/ethernet.h"
#include "worker/buffers.h"

namespace tester {
namespace {

using Burst = std::array<rte_mbuf*, kBurst>;

bool Allocate(rte_mempool* pool, rte_mbuf** mbufs, unsigned count) {
  return rte_mempool_get_bulk(pool, reinterpret_cast<void**>(mbufs), count) == 0;
}

void PutBack(rte_mempool* pool, rte_mbuf** mbufs, unsigned count) {
  rte_mempool_put_bulk(pool, reinterpret_cast<void* const*>(mbufs), count);
}

// What a driver took, FCS included.
struct Sent {
  uint16_t packets = 0;
  uint64_t bytes = 0;
};

void CountSent(Port& port, Sent sent, uint16_t refused) {
  port.counters.tx_packets.Add(sent.packets);
  port.counters.tx_bytes.Add(sent.bytes);
  if (refused != 0) port.counters.tx_refused.Add(refused);
}

void CountSent(StreamTx& tx, const SendEntry& entry, const Run& run, Sent sent) {
  if (run.first == 0) tx.first_ns.Set(run.now_ns);
  tx.last_ns.Set(run.now_ns);
  const uint64_t due_ns = entry.schedule.DueNs(run.first);
  if (due_ns < run.now_ns) tx.worst_lateness_ns.Raise(run.now_ns - due_ns);
  tx.CountSent(sent.packets, sent.bytes, run.version, run.now_ns);
}

// What the driver does not take is as if it had never been written.
Sent SendRun(Port& port, const SendEntry& entry, const Run& run) {
  Burst mbufs;
  if (!Allocate(port.tx_pool(), mbufs.data(), run.count)) {
    CountSent(port, {}, run.count);
    return {};
  }
  Sent sent{.packets = 0, .bytes = WriteFrames(*entry.frames, *entry.cursor, run, mbufs.data())};
  sent.packets = rte_eth_tx_burst(port.device(), 0, mbufs.data(), run.count);
  const auto refused = static_cast<uint16_t>(run.count - sent.packets);
  if (refused != 0) {
    for (uint16_t i = sent.packets; i < run.count; ++i) sent.bytes -= mbufs[i]->pkt_len;
    PutBack(port.tx_pool(), mbufs.data() + sent.packets, refused);
  }
  sent.bytes += uint64_t{sent.packets} * wire::kFcsBytes;
  CountSent(port, sent, refused);
  return sent;
}

}  // namespace

bool SendFrame(Port& port, Frame frame) {
  rte_mbuf* mbuf = nullptr;
  if (!Allocate(port.tx_pool(), &mbuf, 1)) {
    CountSent(port, {}, 1);
    return false;
  }
  WriteFrame(frame, mbuf);
  const bool sent = rte_eth_tx_burst(port.device(), 0, &mbuf, 1) == 1;
  if (!sent) PutBack(port.tx_pool(), &mbuf, 1);
  const Sent counted{.packets = 1, .bytes = frame.size() + wire::kFcsBytes};
  CountSent(port, sent ? counted : Sent{}, sent ? 0 : 1);
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
    const Run run{.first = before,
                  .count = count,
                  .sequence = before,
                  .now_ns = now_ns,
                  .version = tx.flips.Begin(before)};
    const Sent taken = SendRun(port, entry, run);
    sent = taken.packets;
    if (sent != 0) CountSent(tx, entry, run, taken);
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
