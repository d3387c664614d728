// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames of one direction of a path on their way to the other port, in bursts.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/burst.h"
#include "inline/hold/holding.h"
#include "inline/stations.h"
#include "inline/trace.h"
#include "wire/ethernet.h"
#include "worker/buffers.h"
#include "worker/clock.h"
#include "worker/running_path.h"
#include "worker/stamp_burst.h"
#include "worker/transmit.h"

namespace tester {

using Mbufs = std::span<rte_mbuf* const>;

class PathSender {
 public:
  PathSender(const PathEnd& path, const Clock& clock)
      : out_(*path.out),
        outs_(path.outs),
        stations_(path.outs.empty() ? nullptr : path.running->stations.get()),
        counters_(path.running->counters[path.direction]),
        traced_(path.trace != nullptr),
        stamping_(path.departing),
        clock_(clock) {}

  void Add(rte_mbuf* mbuf, uint8_t* record = nullptr) {
    if (batch_.count == kBurst) Flush();
    batch_.Add(mbuf, record);
  }
  // Frames without records, on a path without a trace.
  void Add(Mbufs mbufs) {
    while (!mbufs.empty()) {
      if (batch_.count == kBurst) Flush();
      mbufs = mbufs.subspan(batch_.Add(mbufs));
    }
  }

  // A copy of a frame, which leaves behind it.
  void AddCopy(const rte_mbuf* mbuf) {
    if (rte_mbuf* const copy = CopyOf(mbuf, out_)) Add(copy);
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

  // Adds a held frame. It has no record any more.
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
    if (batch_.count == 0) return;
    if (stations_ == nullptr) [[likely]] {
      Send(batch_, out_);
    } else {
      Disperse();
    }
    batch_.count = 0;
  }

 private:
  // Frames that leave by one port.
  struct PortBatch {
    std::array<rte_mbuf*, kBurst> mbufs;
    std::array<uint8_t*, kBurst> records;  // of the same frames, on a path that is traced
    uint16_t count = 0;

    void Add(rte_mbuf* mbuf, uint8_t* record) {
      records[count] = record;
      mbufs[count++] = mbuf;
    }
    // Adds frames without records as far as there is room. Returns their number.
    uint16_t Add(Mbufs those) {
      const auto added = static_cast<uint16_t>(std::min<size_t>(those.size(), kBurst - count));
      std::copy_n(those.begin(), added, mbufs.begin() + count);
      count += added;
      return added;
    }
    uint8_t* Record(uint16_t index, bool traced) const { return traced ? records[index] : nullptr; }
  };

  void Send(PortBatch& batch, PortQueue& out) {
    if (!out.takes_buffers()) TakeOver(batch, out);
    if (batch.count == 0) return;
    if (stamping_ != nullptr) Stamp(batch, out);
    const SentFrames sent = SendBurst(out, batch.mbufs.data(), batch.count);
    if (traced_ && sent.count != 0) {
      const uint64_t now_ns = clock_.Now();
      for (uint16_t i = 0; i < sent.count; ++i) Trace::Leave(batch.records[i], now_ns);
    }
    if (sent.count < batch.count) [[unlikely]] {
      const auto refused = static_cast<uint16_t>(batch.count - sent.count);
      if (stamping_ != nullptr) Unstamp(batch, sent.count);
      FreeBurst(batch.mbufs.data() + sent.count, refused);
      counters_.lost.Add(refused);
    }
    counters_.forwarded.Add(sent.count);
    counters_.forwarded_bytes.Add(sent.bytes);
  }

  // Sends each frame to the port of its receiver. A frame for an unknown receiver leaves by the
  // last port, and a copy by each other port.
  void Disperse() {
    std::array<size_t, kBurst> ports;
    for (uint16_t i = 0; i < batch_.count; ++i) {
      ports[i] = stations_->PortFor(Whole(batch_.mbufs[i]));
    }
    const size_t last = outs_.size() - 1;
    for (size_t port = 0; port <= last; ++port) {
      PortBatch batch;
      for (uint16_t i = 0; i < batch_.count; ++i) {
        const bool everywhere = ports[i] == Stations::kEverywhere;
        if (everywhere && port != last) {
          counters_.duplicated.Add(1);
          rte_mbuf* const copy = CopyOf(batch_.mbufs[i], *outs_[port]);
          if (copy != nullptr) batch.Add(copy, nullptr);
        } else if (everywhere || ports[i] == port) {
          batch.Add(batch_.mbufs[i], batch_.Record(i, traced_));
        }
      }
      Send(batch, *outs_[port]);
    }
  }

  // The last thing before they leave.
  void Stamp(PortBatch& batch, const PortQueue& out) {
    StampBurst burst(batch.mbufs.data(), batch.count);
    const size_t most = out.port().facts().max_frame_bytes - wire::kFcsBytes;
    stamping_->Depart(burst.frames(), most, clock_.Now());
    burst.Apply();
  }

  // Frames that the driver refused were not sent.
  void Unstamp(const PortBatch& batch, uint16_t sent) {
    for (uint16_t i = sent; i < batch.count; ++i) {
      const rte_mbuf* const mbuf = batch.mbufs[i];
      stamping_->Withdraw({rte_pktmbuf_mtod(mbuf, const uint8_t*), mbuf->data_len});
    }
  }

  // A copy in a buffer of that port. nullptr, counted as lost, without a buffer or where it is too
  // short.
  rte_mbuf* CopyOf(const rte_mbuf* mbuf, PortQueue& out) {
    rte_mbuf* copy = nullptr;
    if (mbuf->nb_segs == 1 && Allocate(out.tx_pool(), &copy, 1)) {
      if (mbuf->data_len + RTE_PKTMBUF_HEADROOM <= copy->buf_len) {
        WriteFrame({rte_pktmbuf_mtod(mbuf, const uint8_t*), mbuf->data_len}, copy);
        return copy;
      }
      PutBack(out.tx_pool(), &copy, 1);
    }
    counters_.lost.Add(1);
    return nullptr;
  }

  // The driver of the other port would copy buffers that are not its own, or give them back to the
  // wrong pool.
  void TakeOver(PortBatch& batch, PortQueue& out) {
    const uint16_t count = std::exchange(batch.count, uint16_t{0});
    for (uint16_t i = 0; i < count; ++i) {
      rte_mbuf* const mbuf = batch.mbufs[i];
      rte_mbuf* const taken_over = mbuf->pool == out.tx_pool() ? mbuf : CopyOf(mbuf, out);
      if (taken_over != mbuf) rte_pktmbuf_free(mbuf);
      if (taken_over != nullptr) batch.Add(taken_over, batch.Record(i, traced_));
    }
  }

  PortQueue& out_;
  const std::vector<PortQueue*>& outs_;  // with several ports
  Stations* const stations_;             // null where there is one
  PathDirectionCounters& counters_;
  const bool traced_;
  Stamping* const stamping_;
  const Clock& clock_;
  PortBatch batch_;
};

}  // namespace tester
