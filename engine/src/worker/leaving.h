// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames of one direction of a path on their way to the other port, in bursts.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/burst.h"
#include "inline/holding.h"
#include "inline/trace.h"
#include "wire/ethernet.h"
#include "worker/buffers.h"
#include "worker/clock.h"
#include "worker/running_path.h"
#include "worker/stamp_burst.h"
#include "worker/transmit.h"

namespace tester {

class Leaving {
 public:
  Leaving(const PathEnd& path, const Clock& clock)
      : out_(*path.out),
        counters_(path.running->counters[path.direction]),
        traced_(path.trace != nullptr),
        stamping_(path.departing),
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

  // A frame that is in no buffer yet.
  void AddMade(Frame frame) {
    rte_mbuf* mbuf = nullptr;
    if (!Allocate(out_.tx_pool(), &mbuf, 1)) [[unlikely]] {
      counters_.lost.Add(1);
      return;
    }
    WriteFrame(frame, mbuf);
    Add(mbuf);
  }

  // A frame that was held; it has no record any more.
  void AddStored(Holding& holding, FrameStore::Stored stored) {
    rte_mbuf* mbuf = nullptr;
    const bool fits = Allocate(out_.tx_pool(), &mbuf, 1);
    if (!fits || stored.bytes + RTE_PKTMBUF_HEADROOM > mbuf->buf_len) [[unlikely]] {
      if (fits) PutBack(out_.tx_pool(), &mbuf, 1);
      holding.Lose(stored);
      counters_.lost.Add(1);
      return;
    }
    holding.Write(stored, ClaimFrame(mbuf, stored.bytes));
    Add(mbuf);
  }

  void Flush() {
    if (count_ == 0) return;
    if (!out_.takes_buffers()) TakeOver();
    if (stamping_ != nullptr && count_ != 0) Stamp();
    // What the driver has taken is no longer ours to look at.
    uint64_t bytes = BytesFrom(0);
    const uint16_t sent = count_ == 0 ? uint16_t{0} : SendBurst(out_, mbufs_.data(), count_);
    if (traced_ && sent != 0) {
      const uint64_t now_ns = clock_.Now();
      for (uint16_t i = 0; i < sent; ++i) Trace::Leave(records_[i], now_ns);
    }
    if (sent < count_) [[unlikely]] {
      bytes -= BytesFrom(sent);
      const auto left = static_cast<uint16_t>(count_ - sent);
      if (stamping_ != nullptr) Unstamp(sent);
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
  // Of the frames from this one on, on the wire.
  uint64_t BytesFrom(uint16_t first) const {
    uint64_t bytes = 0;
    for (uint16_t i = first; i < count_; ++i) bytes += mbufs_[i]->pkt_len + wire::kFcsBytes;
    return bytes;
  }

  // The last thing before they leave.
  void Stamp() {
    StampBurst burst(mbufs_.data(), count_);
    const size_t most = out_.facts().max_frame_bytes - wire::kFcsBytes;
    stamping_->Depart(burst.frames(), most, clock_.Now());
    burst.Apply();
  }

  // What the driver has not taken was not sent.
  void Unstamp(uint16_t sent) {
    for (uint16_t i = sent; i < count_; ++i) {
      stamping_->Withdraw({rte_pktmbuf_mtod(mbufs_[i], const uint8_t*), mbufs_[i]->data_len});
    }
  }

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
      rte_mbuf* const taken_over = mbuf->pool == out_.tx_pool() ? mbuf : CopyOf(mbuf);
      if (taken_over != mbuf) rte_pktmbuf_free(mbuf);
      if (taken_over == nullptr) continue;
      records_[taken] = records_[i];
      mbufs_[taken++] = taken_over;
    }
    count_ = taken;
  }

  Port& out_;
  PathDirectionCounters& counters_;
  const bool traced_;
  Stamping* const stamping_;
  const Clock& clock_;
  std::array<rte_mbuf*, kBurst> mbufs_;
  std::array<uint8_t*, kBurst> records_;  // of the same frames; nullptr where there is none
  uint16_t count_ = 0;
};

}  // namespace tester
