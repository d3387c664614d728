// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/outbox.h"

#include <rte_ethdev.h>

#include <algorithm>
#include <array>

#include "generator/frames.h"
#include "wire/ethernet.h"
#include "worker/buffers.h"

namespace tester {
namespace {

// Frames of one stream that follow each other in the outbox; none when it only had to be asked.
struct Part {
  uint32_t index;  // of the stream in the program
  Pacer::Batch batch;
  uint8_t version;
  uint16_t sent;   // frames that the driver took
  uint32_t bytes;  // of these, without FCS
};

struct Outbox {
  std::array<Part, kBurst> parts;
  uint16_t part_count = 0;
  std::array<rte_mbuf*, kBurst> mbufs;
  uint16_t frames = 0;
};

// A stream that is late sends all it owes, as far as there is room; then it is another one's turn.
void Gather(const PortProgram& port, uint64_t now_ns, Outbox& out) {
  DueQueue& queue = *port.queue;
  while (out.part_count < kBurst && out.frames < kBurst && !queue.Empty() &&
         queue.Top().due_ns <= now_ns) {
    const uint32_t index = queue.Top().index;
    queue.Pop();
    if (!queue.Empty()) port.streams[queue.Top().index].hot.Prefetch();
    for (const auto& second : queue.Seconds()) port.streams[second.index].Prefetch();
    const SendEntry& entry = port.streams[index];
    const auto room = static_cast<uint16_t>(kBurst - out.frames);
    Part& part = out.parts[out.part_count++];
    part = {.index = index,
            .batch = entry.sender->pacer.Next(*entry.schedule, now_ns, room),
            .version = 0,
            .sent = 0,
            .bytes = 0};
    out.frames = static_cast<uint16_t>(out.frames + part.batch.count);
  }
}

void Write(const SendEntry& entry, uint64_t now_ns, Part& part, rte_mbuf** mbufs) {
  const Leg& leg = entry.schedule->leg(part.batch.leg);
  ContentPlace& contents = entry.sender->contents;
  if (leg.contents != contents.leg) {
    contents = {.leg = leg.contents, .first = part.batch.leg_first};
  }
  const Run run{.first = part.batch.first - contents.first,
                .count = part.batch.count,
                .sequence = part.batch.first,
                .now_ns = now_ns,
                .version = entry.tx->flips.Begin(part.batch.first)};
  part.version = run.version;
  part.sent = run.count;
  entry.tx->departures.Prefetch(now_ns, part.batch.due_ns);
  part.bytes = WriteFrames(*leg.frames, *leg.cursor, run, mbufs);
}

// Frames from number `sent` on are as if they had never been written.
void TakeBack(rte_mempool* pool, uint16_t sent, Outbox& out) {
  uint16_t left = out.frames;
  for (Part* part = &out.parts[out.part_count - 1U]; left > sent; --part) {
    for (; left > sent && part->sent > 0; --part->sent) part->bytes -= out.mbufs[--left]->pkt_len;
  }
  PutBack(pool, out.mbufs.data() + sent, static_cast<unsigned>(out.frames - sent));
}

// The same with captures: what they want is copied before the driver has it, and counts as far as
// the driver takes it.
uint16_t SendTapped(const PortProgram& port, uint64_t now_ns, Outbox& out) {
  const TapBurst burst(port.taps->transmitted, now_ns);
  uint16_t written = 0;
  for (uint16_t i = 0; i < out.part_count; ++i) {
    const Part& part = out.parts[i];
    const uint16_t id = port.streams[part.index].id;
    for (uint16_t k = 0; k < part.batch.count; ++k) {
      burst.See(out.mbufs[written++], id, part.batch.first + k);
    }
  }
  const uint16_t sent = rte_eth_tx_burst(port.port->device(), 0, out.mbufs.data(), out.frames);
  burst.Publish(sent);
  return sent;
}

void Send(const PortProgram& port, uint64_t now_ns, Outbox& out) {
  rte_mempool* pool = port.port->tx_pool();
  const auto mbufs = out.mbufs.data();
  if (!Allocate(pool, mbufs, out.frames)) return;
  uint16_t written = 0;
  for (uint16_t i = 0; i < out.part_count; ++i) {
    Part& part = out.parts[i];
    if (part.batch.count == 0) continue;
    Write(port.streams[part.index], now_ns, part, mbufs + written);
    written = static_cast<uint16_t>(written + part.batch.count);
  }
  const uint16_t sent = port.taps == nullptr
                            ? rte_eth_tx_burst(port.port->device(), 0, mbufs, out.frames)
                            : SendTapped(port, now_ns, out);
  if (sent < out.frames) TakeBack(pool, sent, out);
}

// The one place where frames of a stream that have left are counted.
void CountSent(Port& port, const SendEntry& entry, const Part& part, uint64_t now_ns) {
  StreamTx& tx = *entry.tx;
  const uint64_t last_due_ns = entry.sender->pacer.Sent(*entry.schedule, part.sent);
  if (part.batch.first == 0) tx.first_ns.Set(now_ns);
  tx.last_ns.Set(now_ns);
  tx.departures.Add(now_ns, part.batch.due_ns, last_due_ns);
  const uint64_t bytes = part.bytes + part.sent * wire::kFcsBytes;
  tx.CountSent(part.sent, bytes, part.version, now_ns);
  if (tx.has_version) port.counters.tx_versions[part.version].Add(part.sent, bytes);
}

// Asks the stream when it wants to be asked again.
void Requeue(const PortProgram& port, uint32_t index, uint64_t now_ns) {
  const SendEntry& entry = port.streams[index];
  const Pacer& pacer = entry.sender->pacer;
  StreamTx& tx = *entry.tx;
  tx.intended.Set(pacer.intended());
  tx.leg.Set(pacer.leg());
  const uint64_t wake_ns = pacer.WakeNs(*entry.schedule, now_ns);
  tx.wake_ns.Set(wake_ns);
  if (wake_ns == kNever) {
    tx.sending.store(false, std::memory_order_release);
  } else {
    port.queue->Push({.due_ns = wake_ns, .index = index});
  }
}

// Returns how many frames have left.
uint16_t Settle(const PortProgram& port, uint64_t now_ns, const Outbox& out) {
  uint16_t sent = 0;
  uint64_t bytes = 0;
  for (uint16_t i = 0; i < out.part_count; ++i) {
    const Part& part = out.parts[i];
    if (part.sent > 0) CountSent(*port.port, port.streams[part.index], part, now_ns);
    sent = static_cast<uint16_t>(sent + part.sent);
    bytes += part.bytes;
    Requeue(port, part.index, now_ns);
  }
  PortCounters& counters = port.port->counters;
  counters.tx_packets.Add(sent);
  counters.tx_bytes.Add(bytes + sent * wire::kFcsBytes);
  counters.tx_refused.Add(static_cast<uint64_t>(out.frames - sent));
  return sent;
}

}  // namespace

void QueueStreams(const PortProgram& port) {
  for (uint32_t i = 0; i < port.streams.size(); ++i) {
    const SendEntry& entry = port.streams[i];
    if (!entry.tx->sending.load(std::memory_order_relaxed)) continue;
    const uint64_t change_ns = entry.sender->pacer.WakeAtChangeNs(*entry.schedule);
    port.queue->Push({.due_ns = std::min(entry.tx->wake_ns.Get(), change_ns), .index = i});
  }
}

void Rehearse(const PortProgram& port, uint64_t now_ns) {
  port.port->Rehearse();
  const uint32_t index = port.queue->Top().index;
  const SendEntry& entry = port.streams[index];
  Part part{.index = index,
            .batch = entry.sender->pacer.Next(*entry.schedule, now_ns, 1),
            .version = 0,
            .sent = 0,
            .bytes = 0};
  part.batch.count = 1;
  rte_mempool* pool = port.port->tx_pool();
  rte_mbuf* mbuf = nullptr;
  // A file may have no frame left to be read.
  if (entry.schedule->leg(part.batch.leg).frames->feed() == nullptr && Allocate(pool, &mbuf, 1)) {
    Write(entry, now_ns, part, &mbuf);
    PutBack(pool, &mbuf, 1);
  }
  rte_eth_tx_burst(port.port->device(), 0, &mbuf, 0);
}

bool ServeStreams(const PortProgram& port, const Clock& clock) {
  const uint64_t due_ns = clock.Now();
  if (port.queue->Empty() || port.queue->Top().due_ns > due_ns) return false;
  Outbox out;
  Gather(port, due_ns, out);
  // Read again: gathering from many streams takes time, and this is what goes into signatures.
  const uint64_t now_ns = clock.Now();
  if (out.frames > 0) Send(port, now_ns, out);
  return Settle(port, now_ns, out) > 0;
}

}  // namespace tester
