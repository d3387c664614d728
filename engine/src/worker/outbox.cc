// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/outbox.h"

#include <rte_ethdev.h>

#include <algorithm>
#include <array>

#include "generator/frames/frames.h"
#include "wire/ethernet.h"
#include "worker/buffers.h"

namespace tester {
namespace {

// Consecutive frames of one stream in the outbox; no frame if the stream only had to be asked.
struct BurstSlice {
  uint32_t index;  // of the stream in the program
  Pacer::PacedBatch batch;
  uint8_t version;
  uint16_t sent;   // frames that the driver took
  uint32_t bytes;  // of the sent ones, without FCS
};

struct Outbox {
  std::array<BurstSlice, kBurst> slices;
  uint16_t slice_count = 0;
  std::array<rte_mbuf*, kBurst> mbufs;
  uint16_t frames = 0;
};

// A late stream sends all that it owes, as far as there is room; then the next stream follows.
void Gather(const QueueProgram& program, uint64_t now_ns, Outbox& out) {
  DueQueue& queue = *program.due;
  while (out.slice_count < kBurst && out.frames < kBurst && !queue.Empty() &&
         queue.Top().due_ns <= now_ns) {
    const uint32_t index = queue.Top().index;
    queue.Pop();
    if (!queue.Empty()) program.streams[queue.Top().index].hot.Prefetch();
    for (const auto& second : queue.Seconds()) program.streams[second.index].Prefetch();
    const SendEntry& entry = program.streams[index];
    const auto room = static_cast<uint16_t>(kBurst - out.frames);
    BurstSlice& slice = out.slices[out.slice_count++];
    slice = {.index = index,
             .batch = entry.sender->pacer.Next(*entry.schedule, now_ns, room),
             .version = 0,
             .sent = 0,
             .bytes = 0};
    out.frames = static_cast<uint16_t>(out.frames + slice.batch.count);
  }
}

void Write(const SendEntry& entry, uint64_t now_ns, BurstSlice& slice, rte_mbuf** mbufs) {
  const ScheduleSegment& segment = entry.schedule->segment(slice.batch.segment);
  ContentPlace& contents = entry.sender->contents;
  if (segment.contents != contents.segment) {
    contents = {.segment = segment.contents, .first = slice.batch.segment_first};
  }
  const FrameRun run{.first = slice.batch.first - contents.first,
                     .count = slice.batch.count,
                     .sequence = slice.batch.first,
                     .now_ns = now_ns,
                     .version = entry.tx->flips.Begin(slice.batch.first)};
  entry.tx->crowds.Note(slice.batch.first, slice.batch.count, now_ns, slice.batch.due_ns);
  slice.version = run.version;
  slice.sent = run.count;
  entry.tx->departures.Prefetch(now_ns, slice.batch.due_ns);
  slice.bytes = WriteFrames(*segment.frames, *segment.cursor, run, mbufs);
}

// Frames from number `sent` on are as if they had never been written.
void TakeBack(rte_mempool* pool, uint16_t sent, Outbox& out) {
  uint16_t left = out.frames;
  for (BurstSlice* slice = &out.slices[out.slice_count - 1U]; left > sent; --slice) {
    for (; left > sent && slice->sent > 0; --slice->sent)
      slice->bytes -= out.mbufs[--left]->pkt_len;
  }
  PutBack(pool, out.mbufs.data() + sent, static_cast<unsigned>(out.frames - sent));
}

// Sends with captures and queries: frames are copied for them before the driver has them, and count
// as far as the driver takes them.
uint16_t SendTapped(const QueueProgram& program, uint64_t now_ns, Outbox& out) {
  const TapBurst burst(program.taps->transmitted, program.port, now_ns);
  uint16_t written = 0;
  for (uint16_t i = 0; i < out.slice_count; ++i) {
    const BurstSlice& slice = out.slices[i];
    const uint16_t id = program.streams[slice.index].id;
    for (uint16_t k = 0; k < slice.batch.count; ++k) {
      burst.See(out.mbufs[written++], id, slice.batch.first + k);
    }
  }
  const uint16_t sent = rte_eth_tx_burst(program.queue->device(), program.queue->number(),
                                         out.mbufs.data(), out.frames);
  burst.Publish(sent);
  return sent;
}

void Send(const QueueProgram& program, uint64_t now_ns, Outbox& out) {
  rte_mempool* pool = program.queue->tx_pool();
  const auto mbufs = out.mbufs.data();
  if (!Allocate(pool, mbufs, out.frames)) return;
  uint16_t written = 0;
  for (uint16_t i = 0; i < out.slice_count; ++i) {
    BurstSlice& slice = out.slices[i];
    if (slice.batch.count == 0) continue;
    Write(program.streams[slice.index], now_ns, slice, mbufs + written);
    written = static_cast<uint16_t>(written + slice.batch.count);
  }
  const uint16_t sent =
      program.taps == nullptr
          ? rte_eth_tx_burst(program.queue->device(), program.queue->number(), mbufs, out.frames)
          : SendTapped(program, now_ns, out);
  if (sent < out.frames) TakeBack(pool, sent, out);
}

// Counts the frames of a stream that have left.
void CountSent(PortQueue& queue, const SendEntry& entry, const BurstSlice& slice, uint64_t now_ns) {
  StreamTx& tx = *entry.tx;
  const uint64_t last_due_ns = entry.sender->pacer.Sent(*entry.schedule, slice.sent);
  if (slice.batch.first == 0) tx.first_ns.Set(now_ns);
  tx.last_ns.Set(now_ns);
  tx.departures.Add(now_ns, slice.batch.due_ns, last_due_ns);
  const uint64_t bytes = slice.bytes + slice.sent * wire::kFcsBytes;
  tx.CountSent(slice.sent, bytes, slice.version, now_ns);
  if (tx.has_version) queue.counters.tx_versions[slice.version].Add(slice.sent, bytes);
}

// Queues the stream for its next wake-up.
void Requeue(const QueueProgram& program, uint32_t index, uint64_t now_ns) {
  const SendEntry& entry = program.streams[index];
  const Pacer& pacer = entry.sender->pacer;
  StreamTx& tx = *entry.tx;
  tx.intended.Set(pacer.intended());
  tx.given_up.Set(pacer.given_up());
  tx.segment.Set(pacer.segment());
  const uint64_t wake_ns = pacer.WakeNs(*entry.schedule, now_ns);
  tx.wake_ns.Set(wake_ns);
  if (wake_ns == kNever) {
    tx.sending.store(false, std::memory_order_release);
  } else {
    program.due->Push({.due_ns = wake_ns, .index = index});
  }
}

// Returns how many frames have left.
uint16_t Settle(const QueueProgram& program, uint64_t now_ns, const Outbox& out) {
  uint16_t sent = 0;
  uint64_t bytes = 0;
  for (uint16_t i = 0; i < out.slice_count; ++i) {
    const BurstSlice& slice = out.slices[i];
    if (slice.sent > 0) CountSent(*program.queue, program.streams[slice.index], slice, now_ns);
    sent = static_cast<uint16_t>(sent + slice.sent);
    bytes += slice.bytes;
    Requeue(program, slice.index, now_ns);
  }
  program.queue->counters.CountSent(sent, bytes + sent * wire::kFcsBytes,
                                    static_cast<uint64_t>(out.frames - sent));
  return sent;
}

}  // namespace

void QueueStreams(const QueueProgram& program) {
  for (uint32_t i = 0; i < program.streams.size(); ++i) {
    const SendEntry& entry = program.streams[i];
    if (!entry.tx->sending.load(std::memory_order_relaxed)) continue;
    const uint64_t change_ns = entry.sender->pacer.WakeAtChangeNs(*entry.schedule);
    program.due->Push({.due_ns = std::min(entry.tx->wake_ns.Get(), change_ns), .index = i});
  }
}

void Rehearse(const QueueProgram& program, uint64_t now_ns) {
  program.queue->port().Rehearse();
  const uint32_t index = program.due->Top().index;
  const SendEntry& entry = program.streams[index];
  BurstSlice slice{.index = index,
                   .batch = entry.sender->pacer.Next(*entry.schedule, now_ns, 1),
                   .version = 0,
                   .sent = 0,
                   .bytes = 0};
  slice.batch.count = 1;
  rte_mempool* pool = program.queue->tx_pool();
  rte_mbuf* mbuf = nullptr;
  // A file may have no frame left to be read.
  if (entry.schedule->segment(slice.batch.segment).frames->feed() == nullptr &&
      Allocate(pool, &mbuf, 1)) {
    Write(entry, now_ns, slice, &mbuf);
    PutBack(pool, &mbuf, 1);
  }
  rte_eth_tx_burst(program.queue->device(), program.queue->number(), &mbuf, 0);
}

bool ServeStreams(const QueueProgram& program, const Clock& clock) {
  const uint64_t due_ns = clock.Now();
  if (program.due->Empty() || program.due->Top().due_ns > due_ns) return false;
  if (program.queue->port().fences.load(std::memory_order_relaxed) != 0) [[unlikely]]
    return false;
  Outbox out;
  Gather(program, due_ns, out);
  // Read again: gathering from many streams takes time, and this time is written into signatures.
  const uint64_t now_ns = clock.Now();
  if (out.frames > 0) Send(program, now_ns, out);
  return Settle(program, now_ns, out) > 0;
}

}  // namespace tester
