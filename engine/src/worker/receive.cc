// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/receive.h"

#include <rte_ethdev.h>
#include <rte_prefetch.h>

#include <array>

#include "receiver/foreign.h"
#include "receiver/train.h"
#include "wire/ethernet.h"
#include "wire/pause.h"
#include "worker/buffers.h"
#include "worker/transmit.h"

namespace tester {
namespace {

constexpr int kMostBursts = 4;

static_assert(RTE_MAX_ETHPORTS <= Misrouted::kPorts);

Frame FirstSegment(const rte_mbuf* mbuf) {
  return {rte_pktmbuf_mtod(mbuf, const uint8_t*), mbuf->data_len};
}

// Frames of a burst that are no stream's.
struct UnclassifiedFrames {
  std::array<rte_mbuf*, kBurst> mbufs;
  std::array<bool, kBurst> stale;  // with a signature of the past
  uint16_t count = 0;
};

Signed CountIfSigned(const Classifier& classifier, const uint8_t* signature,
                     const Arrival& arrival) {
  if (const Expected* stream = classifier.Find(signature)) {
    return CountSigned(*stream, signature, arrival);
  }
  return classifier.WasUnloaded(signature, arrival.now_ns) ? Signed::kStale : Signed::kForeign;
}

// A frame with a signature of the past: an old frame, or one of a file that is replayed.
Signed CountStale(const QueueProgram& program, const uint8_t* signature, const Arrival& arrival) {
  const Expected* stream = program.matcher.empty() ? nullptr : program.matcher.Find(arrival.frame);
  if (stream == nullptr || !Replays(*stream, signature)) return Signed::kStale;
  CountMatched(*stream, arrival);
  return Signed::kGood;
}

// A frame that does not end in a signature: of a stream without, or padded by the device under
// test.
Signed CountOther(const QueueProgram& program, const Classifier& classifier, Arrival arrival) {
  if (!program.matcher.empty()) {
    if (const Expected* stream = program.matcher.Find(arrival.frame)) {
      CountMatched(*stream, arrival);
      return Signed::kGood;
    }
  }
  const bool is_whole = arrival.frame.size() == arrival.bytes;
  const uint8_t* signature = is_whole ? SignatureBeforePadding(arrival.frame) : nullptr;
  if (signature == nullptr) return Signed::kForeign;
  arrival.end = static_cast<uint32_t>(signature - arrival.frame.data() + wire::kSignatureBytes);
  return CountIfSigned(classifier, signature, arrival);
}

Signed CountFrame(const QueueProgram& program, const Classifier& classifier, const rte_mbuf* mbuf,
                  uint64_t now_ns, Train& train) {
  const Arrival arrival{.frame = FirstSegment(mbuf),
                        .bytes = mbuf->pkt_len,
                        .end = mbuf->pkt_len,
                        .port = program.port,
                        .now_ns = now_ns,
                        .counters = &program.queue->counters};
  std::array<uint8_t, wire::kSignatureBytes> copy;
  if (mbuf->pkt_len >= wire::kMacHeaderBytes + wire::kSignatureBytes) [[likely]] {
    // Only a frame in several segments is copied.
    const auto* signature = static_cast<const uint8_t*>(
        rte_pktmbuf_read(mbuf, mbuf->pkt_len - static_cast<uint32_t>(wire::kSignatureBytes),
                         wire::kSignatureBytes, copy.data()));
    if (train.Join(signature, arrival)) [[likely]] {
      return Signed::kGood;
    }
    train.End();
    if (const Expected* stream = classifier.Find(signature)) {
      const Signed counted = CountSigned(*stream, signature, arrival);
      if (counted == Signed::kGood) train.Begin(*stream, signature, arrival);
      if (counted == Signed::kStale) return CountStale(program, signature, arrival);
      if (counted != Signed::kForeign) return counted;
    } else if (classifier.WasUnloaded(signature, now_ns)) {
      return CountStale(program, signature, arrival);
    }
  }
  return CountOther(program, classifier, arrival);
}

// Serves a frame that no stream or responder has taken: ARP, neighbour discovery, or a foreign
// frame.
void ServeForeign(const QueueProgram& program, const rte_mbuf* mbuf, bool stale) {
  const Frame frame = FirstSegment(mbuf);
  PortQueue& queue = *program.queue;
  queue.counters.rx_foreign.Add(1);
  if (wire::IsPause(frame)) queue.counters.rx_pause.Add(1);
  if (stale) {
    queue.counters.rx_stale.Add(1);
    return;
  }
  std::array<uint8_t, kNeighbourFrameBytes> reply;
  if (const size_t bytes = AnswerNeighbour(frame, *program.neighbours, reply); bytes != 0) {
    const Frame answer = Frame(reply).first(bytes);
    // The policy may forbid an answer to this address.
    const AddressRules* const allowed = queue.port().allowed.get();
    if (allowed != nullptr && !allowed->Allows(answer)) return;
    if (SendFrame(queue, answer)) queue.counters.neighbour_replies.Add(1);
  } else if (const auto neighbour = ReadAdvertisement(frame)) {
    queue.learned.Push(*neighbour);
  } else {
    CountForeign(frame, mbuf->pkt_len, queue.counters);
  }
}

void HandleUnclassified(const QueueProgram& program, const UnclassifiedFrames& unclassified,
                        uint64_t now_ns) {
  std::array<MutableFrame, kBurst> frames;
  std::array<bool, kBurst> taken;
  for (uint16_t i = 0; i < unclassified.count; ++i) {
    rte_mbuf* mbuf = unclassified.mbufs[i];
    frames[i] = {rte_pktmbuf_mtod(mbuf, uint8_t*), mbuf->data_len};
    taken[i] = unclassified.stale[i];
  }
  AnswerBurst(program.responders, {frames.data(), unclassified.count}, now_ns, taken.data());
  for (uint16_t i = 0; i < unclassified.count; ++i) {
    if (!taken[i] || unclassified.stale[i]) {
      ServeForeign(program, unclassified.mbufs[i], unclassified.stale[i]);
    } else {
      TemplateKey(unclassified.mbufs[i]) = 0;  // over a loop this may be the sender's
    }
  }
}

}  // namespace

uint32_t ServeReceive(const QueueProgram& program, const Classifier& classifier,
                      const Clock& clock) {
  PortQueue& queue = *program.queue;
  uint32_t total = 0;
  for (int i = 0; i < kMostBursts; ++i) {
    std::array<rte_mbuf*, kBurst> mbufs;
    const uint16_t count = rte_eth_rx_burst(queue.device(), queue.number(), mbufs.data(), kBurst);
    if (count == 0) break;
    const uint64_t now_ns = clock.Now();
    for (uint16_t k = 0; k < count; ++k) {
      rte_prefetch0(rte_pktmbuf_mtod_offset(mbufs[k], const uint8_t*, mbufs[k]->data_len - 1));
    }
    if (queue.taps != nullptr) [[unlikely]] {
      TapReceived(program, classifier, mbufs.data(), count, now_ns);
    }
    uint64_t bytes = 0;
    Train train(now_ns);
    UnclassifiedFrames unclassified;
    for (uint16_t k = 0; k < count; ++k) {
      bytes += mbufs[k]->pkt_len;
      queue.counters.CountSize(mbufs[k]->pkt_len + wire::kFcsBytes);
      const Signed counted = CountFrame(program, classifier, mbufs[k], now_ns, train);
      if (counted < Signed::kBad) [[unlikely]] {
        unclassified.stale[unclassified.count] = counted == Signed::kStale;
        unclassified.mbufs[unclassified.count++] = mbufs[k];
      }
      // The kernel has written over the template that this buffer may have held.
      if (queue.shared_pool()) TemplateKey(mbufs[k]) = 0;
    }
    if (unclassified.count > 0) HandleUnclassified(program, unclassified, now_ns);
    FreeBurst(mbufs.data(), count);
    queue.counters.rx_packets.Add(count);
    queue.counters.rx_bytes.Add(bytes + uint64_t{count} * wire::kFcsBytes);
    total += count;
    if (count < kBurst) break;
  }
  return total;
}

}  // namespace tester
