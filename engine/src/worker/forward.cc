// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/forward.h"

#include <rte_ethdev.h>
#include <rte_prefetch.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/burst.h"
#include "wire/ethernet.h"
#include "worker/buffers.h"
#include "worker/transmit.h"

namespace tester {
namespace {

constexpr int kMostForwardedBursts = 4;

// Frames on their way to the other port.
class Leaving {
 public:
  Leaving(const PathEnd& path, const Clock& clock)
      : out_(*path.out),
        counters_(path.running->counters[path.direction]),
        traced_(path.trace != nullptr),
        clock_(clock) {}

  void Add(rte_mbuf* mbuf, uint8_t* record = nullptr) {
    if (count_ == kBurst) Flush();
    records_[count_] = record;
    mbufs_[count_++] = mbuf;
  }

  // A copy of a frame, which leaves behind it.
  void AddCopy(const rte_mbuf* mbuf) {
    if (rte_mbuf* const copy = CopyOf(mbuf)) Add(copy);
  }

  void Flush() {
    if (count_ == 0) return;
    if (!out_.takes_buffers()) TakeOver();
    std::array<uint32_t, kBurst> lengths;  // what the driver has taken is no longer ours to look at
    for (uint16_t i = 0; i < count_; ++i) lengths[i] = mbufs_[i]->pkt_len;
    const uint16_t sent = count_ == 0 ? uint16_t{0} : SendBurst(out_, mbufs_.data(), count_);
    if (traced_ && sent != 0) {
      const uint64_t now_ns = clock_.Now();
      for (uint16_t i = 0; i < sent; ++i) Trace::Leave(records_[i], now_ns);
    }
    const uint64_t bytes =
        std::accumulate(lengths.begin(), lengths.begin() + sent, uint64_t{sent} * wire::kFcsBytes);
    if (sent < count_) [[unlikely]] {
      const auto left = static_cast<uint16_t>(count_ - sent);
      FreeBurst(mbufs_.data() + sent, left);
      counters_.lost.Add(left);
      out_.counters.tx_refused.Add(left);
    }
    counters_.forwarded.Add(sent);
    counters_.forwarded_bytes.Add(bytes);
    out_.counters.tx_packets.Add(sent);
    out_.counters.tx_bytes.Add(bytes);
    count_ = 0;
  }

 private:
  // In a buffer of the other port; nullptr, and counted as lost, where there is none or it is too
  // short.
  rte_mbuf* CopyOf(const rte_mbuf* mbuf) {
    rte_mbuf* copy = nullptr;
    if (mbuf->nb_segs == 1 && Allocate(out_.tx_pool(), &copy, 1)) {
      if (mbuf->data_len + RTE_PKTMBUF_HEADROOM <= copy->buf_len) {
        WriteFrame({rte_pktmbuf_mtod(mbuf, const uint8_t*), mbuf->data_len}, copy);
        return copy;
      }
      PutBack(out_.tx_pool(), &copy, 1);
    }
    counters_.lost.Add(1);
    return nullptr;
  }

  // The driver of the other port would copy buffers that are not its own, or give them back to the
  // wrong pool.
  void TakeOver() {
    uint16_t taken = 0;
    for (uint16_t i = 0; i < count_; ++i) {
      rte_mbuf* const mbuf = mbufs_[i];
      rte_mbuf* const own = mbuf->pool == out_.tx_pool() ? mbuf : CopyOf(mbuf);
      if (own != mbuf) rte_pktmbuf_free(mbuf);
      if (own == nullptr) continue;
      records_[taken] = records_[i];
      mbufs_[taken++] = own;
    }
    count_ = taken;
  }

  Port& out_;
  PathDirectionCounters& counters_;
  const bool traced_;
  const Clock& clock_;
  std::array<rte_mbuf*, kBurst> mbufs_;
  std::array<uint8_t*, kBurst> records_;  // of the same frames; nullptr where there is none
  uint16_t count_ = 0;
};

// An event has changed bytes of the frame, or its length.
void Change(rte_mbuf* mbuf, const Treatment& treatment) {
  TemplateKey(mbuf) = 0;  // over a loop this may be the sender's
  const auto bytes = static_cast<uint16_t>(treatment.bytes);
  if (mbuf->nb_segs == 1 && bytes < mbuf->data_len) {
    rte_pktmbuf_trim(mbuf, static_cast<uint16_t>(mbuf->data_len - bytes));
  }
}

// Records a frame as it arrives, before an event changes it. Returns nullptr where it does not.
uint8_t* Traced(const PathEnd& path, const rte_mbuf* mbuf, uint64_t now_ns) {
  return path.trace ? path.trace->See(Whole(mbuf), now_ns) : nullptr;
}

void ForwardThroughEvents(const PathEnd& path, rte_mbuf* const* mbufs, uint16_t count,
                          uint64_t now_ns, Leaving& leaving) {
  PathDirectionCounters& counters = path.running->counters[path.direction];
  for (uint16_t i = 0; i < count; ++i) {
    rte_mbuf* const mbuf = mbufs[i];
    uint8_t* const record = Traced(path, mbuf, now_ns);
    const MutableFrame frame{rte_pktmbuf_mtod(mbuf, uint8_t*), mbuf->data_len};
    const Treatment treatment = path.running->events.Treat(frame, path.direction, now_ns);
    if (path.trace) Trace::Note(record, path.running->events.happened());
    if (!treatment.seen) counters.unmatched.Add(1);
    if (treatment.changed) [[unlikely]]
      Change(mbuf, treatment);
    if (treatment.copies != 0) [[unlikely]] {
      counters.duplicated.Add(treatment.copies);
      // Before the frame itself, whose buffer is the driver's once it has left; they are the same.
      for (uint16_t copy = 0; copy < treatment.copies; ++copy) leaving.AddCopy(mbuf);
    }
    if (treatment.dropped) [[unlikely]] {
      counters.dropped.Add(1);
      rte_pktmbuf_free(mbuf);
      continue;
    }
    leaving.Add(mbuf, record);
  }
}

void ForwardAsTheyAre(const PathEnd& path, rte_mbuf* const* mbufs, uint16_t count, uint64_t now_ns,
                      Leaving& leaving) {
  for (uint16_t i = 0; i < count; ++i) leaving.Add(mbufs[i], Traced(path, mbufs[i], now_ns));
}

}  // namespace

uint32_t ServePath(const PortProgram& program, const Classifier& classifier, const Clock& clock) {
  Port& port = *program.port;
  const PathEnd& path = program.path;
  const bool has_events = !path.running->events.empty();
  uint32_t total = 0;
  for (int i = 0; i < kMostForwardedBursts; ++i) {
    std::array<rte_mbuf*, kBurst> mbufs;
    const uint16_t count = rte_eth_rx_burst(port.device(), 0, mbufs.data(), kBurst);
    if (count == 0) break;
    const uint64_t now_ns = clock.Now();
    if (has_events) {
      for (uint16_t k = 0; k < count; ++k) rte_prefetch0(rte_pktmbuf_mtod(mbufs[k], const void*));
    }
    if (port.taps != nullptr) [[unlikely]] {
      TapReceived(program, classifier, mbufs.data(), count, now_ns);
    }
    uint64_t bytes = 0;
    for (uint16_t k = 0; k < count; ++k) {
      bytes += mbufs[k]->pkt_len;
      port.counters.CountSize(mbufs[k]->pkt_len + wire::kFcsBytes);
      // The kernel has written over the template that this buffer may have held.
      if (port.shared_pool()) TemplateKey(mbufs[k]) = 0;
    }
    Counter& path_received = path.running->counters[path.direction].received;
    if (path.trace) path.trace->Begin(path.direction, path_received.Get());
    path_received.Add(count);
    port.counters.rx_packets.Add(count);
    port.counters.rx_bytes.Add(bytes + uint64_t{count} * wire::kFcsBytes);
    Leaving leaving(path, clock);
    if (has_events) {
      ForwardThroughEvents(path, mbufs.data(), count, now_ns, leaving);
    } else {
      ForwardAsTheyAre(path, mbufs.data(), count, now_ns, leaving);
    }
    leaving.Flush();
    if (path.trace) path.trace->Publish(path_received.Get());
    total += count;
    if (count < kBurst) break;
  }
  return total;
}

}  // namespace tester
