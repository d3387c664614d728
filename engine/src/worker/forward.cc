// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/forward.h"

#include <rte_ethdev.h>
#include <rte_prefetch.h>

#include <array>
#include <optional>
#include <span>

#include "base/burst.h"
#include "wire/ethernet.h"
#include "worker/buffers.h"
#include "worker/path_sender.h"
#include "worker/stamp_burst.h"

namespace tester {
namespace {

constexpr int kMostForwardedBursts = 4;

// An event has changed bytes of the frame, or its length.
void Change(rte_mbuf* mbuf, const Treatment& treatment) {
  TemplateKey(mbuf) = 0;  // over a loop this may be the sender's
  const auto bytes = static_cast<uint16_t>(treatment.bytes);
  if (mbuf->nb_segs == 1 && bytes < mbuf->data_len) {
    rte_pktmbuf_trim(mbuf, static_cast<uint16_t>(mbuf->data_len - bytes));
  }
}

// Sends the answers that an event has made to a frame, which pass the impairment of their
// direction.
void SendAnswers(const PathEnd& path, const Clock& clock, uint64_t now_ns) {
  const PathEnd back = path.Back();
  PathSender sender(back, clock);
  for (const Resets::Answer& answer : path.running->events.answers()) {
    path.running->counters[back.direction].injected.Add(1);
    const Treatment untouched{.bytes = answer.bytes};
    Holding* const holding = back.holding();
    const bool passes = holding == nullptr ||
                        holding->TakeCopy(answer.frame(), untouched, now_ns).fate == Fate::kPasses;
    if (passes) sender.AddMade(answer.frame());
  }
  sender.Flush();
}

// Records a frame as it arrives, before an event changes it. Returns nullptr where it does not.
uint8_t* Traced(const PathEnd& path, const rte_mbuf* mbuf, uint64_t now_ns) {
  return path.trace ? path.trace->See(Whole(mbuf), now_ns) : nullptr;
}

// Frames to which nothing happens.
void Pass(const PathEnd& path, Mbufs mbufs, uint64_t now_ns, PathSender& sender) {
  if (path.trace == nullptr) return sender.Add(mbufs);
  for (rte_mbuf* const mbuf : mbufs) sender.Add(mbuf, Traced(path, mbuf, now_ns));
}

void Begin(const PathEnd& path, Mbufs mbufs, uint64_t now_ns) {
  std::array<MutableFrame, kBurst> frames;
  for (size_t i = 0; i < mbufs.size(); ++i) {
    frames[i] = {rte_pktmbuf_mtod(mbufs[i], uint8_t*), mbufs[i]->data_len};
  }
  path.running->events.Begin(std::span(frames).first(mbufs.size()), path.direction, now_ns);
}

void ForwardThroughEvents(const PathEnd& path, Mbufs mbufs, const Clock& clock, uint64_t now_ns,
                          PathSender& sender) {
  PathDirectionCounters& counters = path.running->counters[path.direction];
  Events& events = path.running->events;
  Begin(path, mbufs, now_ns);
  for (size_t i = 0; i < mbufs.size(); ++i) {
    const size_t next = events.See(i, mbufs.size());
    Pass(path, mbufs.subspan(i, next - i), now_ns, sender);
    i = next;
    if (i == mbufs.size()) break;
    rte_mbuf* const mbuf = mbufs[i];
    uint8_t* const record = Traced(path, mbuf, now_ns);
    const Treatment& treatment = events.Treat(i);
    Trace::Note(record, events.happened());
    if (treatment.changed) {
      Change(mbuf, treatment);
      if (treatment.answered) SendAnswers(path, clock, now_ns);
    }
    counters.duplicated.Add(treatment.copies);
    // Copies leave before the frame itself, whose buffer belongs to the driver afterwards.
    for (uint16_t copy = 0; copy < treatment.copies; ++copy) sender.AddCopy(mbuf);
    if (treatment.dropped) {
      counters.dropped.Add(1);
      rte_pktmbuf_free(mbuf);
    } else {
      sender.Add(mbuf, record);
    }
  }
  counters.unmatched.Add(events.unseen());
}

// Sends a held frame, unless the link is down.
void Release(const PathEnd& path, const HeldFrame& held, PathSender& sender) {
  if (!path.running->events.IsCut()) [[likely]] {
    sender.AddStored(*path.holding(), held.stored);
    return;
  }
  path.holding()->Lose(held.stored);
  path.running->counters[path.direction].dropped.Add(1);
}

void SendDueHeld(const PathEnd& path, uint64_t now_ns, PathSender& sender) {
  Holding& holding = *path.holding();
  while (holding.next_due_ns() <= now_ns) {
    const auto held = holding.NextToLeave(now_ns);
    if (!held) continue;
    Release(path, *held, sender);
    holding.CountLate(*held, now_ns);
  }
}

// Forwards a burst through events and impairment.
void ForwardThroughHolding(const PathEnd& path, Mbufs mbufs, const Clock& clock, uint64_t now_ns,
                           PathSender& sender) {
  PathDirectionCounters& counters = path.running->counters[path.direction];
  Events& events = path.running->events;
  Holding& holding = *path.holding();
  const bool has_events = !events.empty();
  if (has_events) Begin(path, mbufs, now_ns);
  for (size_t i = 0; i < mbufs.size(); ++i) {
    rte_mbuf* const mbuf = mbufs[i];
    uint8_t* const record = Traced(path, mbuf, now_ns);
    Treatment treatment{.bytes = mbuf->data_len};
    // One frame at a time: held frames wait for frames that their event has seen.
    if (has_events && events.See(i, i + 1) == i) {
      treatment = events.Treat(i);
      Trace::Note(record, events.happened());
      if (treatment.changed) Change(mbuf, treatment);
      if (treatment.answered) SendAnswers(path, clock, now_ns);
    }
    counters.duplicated.Add(treatment.copies);
    for (uint16_t copy = 0; copy < treatment.copies; ++copy) {
      if (holding.TakeCopy(Whole(mbuf), treatment, now_ns).fate == Fate::kPasses)
        sender.AddCopy(mbuf);
    }
    if (treatment.dropped) {
      counters.dropped.Add(1);
      rte_pktmbuf_free(mbuf);
      continue;
    }
    const Holding::HoldOutcome outcome = holding.Take(Whole(mbuf), treatment, now_ns);
    if (outcome.fate == Fate::kPasses) {
      sender.Add(mbuf, record);
    } else {
      Trace::Keep(record, outcome.fate, outcome.due_ns);
      rte_pktmbuf_free(mbuf);
    }
    SendDueHeld(path, now_ns, sender);
  }
  if (has_events) counters.unmatched.Add(events.unseen());
}

// Recognises packets that come back from a device, before anything else happens to them.
void Recognise(const PathEnd& path, rte_mbuf** mbufs, uint16_t count, uint64_t now_ns) {
  StampBurst burst(mbufs, count);
  path.arriving->Arrive(burst.frames(), now_ns);
  burst.Apply();
}

// Behind which port of the first end their senders are.
void Learn(const PathEnd& path, Mbufs mbufs) {
  for (const rte_mbuf* const mbuf : mbufs) {
    path.running->stations->Learn(Whole(mbuf), path.station_port);
  }
}

}  // namespace

uint64_t NextReleaseNs(const PathEnd& path) {
  const Holding* const holding = path.running ? path.holding() : nullptr;
  return holding == nullptr ? HoldQueue::kNever : holding->next_due_ns();
}

uint32_t ReleaseHeld(const PathEnd& path, const Clock& clock, uint64_t due_ns) {
  Holding& holding = *path.holding();
  if (holding.next_due_ns() > due_ns) return 0;
  PathSender sender(path, clock);
  std::optional<HeldFrame> first;
  uint32_t count = 0;
  for (; count < kBurst; ++count) {
    const auto held = holding.NextToLeave(due_ns);
    if (!held) break;
    if (!first) first = held;
    Release(path, *held, sender);
  }
  if (!first) return 0;
  while (clock.Now() < due_ns) {
  }
  sender.Flush();
  holding.CountLate(*first, clock.Now());
  return count;
}

uint32_t ServePath(const QueueProgram& program, const Classifier& classifier, const Clock& clock) {
  PortQueue& queue = *program.queue;
  const PathEnd& path = program.path;
  const bool has_events = !path.running->events.empty();
  const bool holds = path.holding() != nullptr;
  uint32_t total = holds ? ReleaseHeld(path, clock, clock.Now()) : 0;
  for (int i = 0; i < kMostForwardedBursts; ++i) {
    std::array<rte_mbuf*, kBurst> mbufs;
    const uint16_t count = rte_eth_rx_burst(queue.device(), queue.number(), mbufs.data(), kBurst);
    if (count == 0) break;
    const uint64_t now_ns = clock.Now();
    if (has_events) {
      for (uint16_t k = 0; k < count; ++k) rte_prefetch0(rte_pktmbuf_mtod(mbufs[k], const void*));
    }
    if (queue.taps != nullptr) [[unlikely]] {
      TapReceived(program, classifier, mbufs.data(), count, now_ns);
    }
    const Mbufs arrived(mbufs.data(), count);
    uint64_t bytes = 0;
    for (const rte_mbuf* const mbuf : arrived) {
      bytes += mbuf->pkt_len;
      queue.counters.CountSize(mbuf->pkt_len + wire::kFcsBytes);
    }
    // The kernel has written over the templates that these buffers may have held.
    if (queue.shared_pool()) {
      for (rte_mbuf* const mbuf : arrived) TemplateKey(mbuf) = 0;
    }
    Counter& path_received = path.running->counters[path.direction].received;
    if (path.trace) path.trace->Begin(path.direction, path_received.Get());
    path_received.Add(count);
    queue.counters.rx_packets.Add(count);
    queue.counters.rx_bytes.Add(bytes + uint64_t{count} * wire::kFcsBytes);
    if (path.running->stations != nullptr && path.direction == 0) [[unlikely]]
      Learn(path, arrived);
    if (path.arriving != nullptr) Recognise(path, mbufs.data(), count, now_ns);
    PathSender sender(path, clock);
    if (holds) {
      ForwardThroughHolding(path, arrived, clock, now_ns, sender);
    } else if (has_events) {
      ForwardThroughEvents(path, arrived, clock, now_ns, sender);
    } else {
      Pass(path, arrived, now_ns, sender);
    }
    sender.Flush();
    if (path.trace) path.trace->Publish(path_received.Get());
    total += count;
    if (count < kBurst) break;
  }
  return total;
}

}  // namespace tester
