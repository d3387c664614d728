// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/buffers.h"

#include <rte_memcpy.h>

#include <algorithm>
#include <array>

namespace tester {
namespace {

void SetLength(rte_mbuf* mbuf, size_t bytes) {
  mbuf->data_len = static_cast<uint16_t>(bytes);
  mbuf->pkt_len = static_cast<uint32_t>(bytes);
}

// Buffers that do not hold their template, and where its bytes belong.
struct Stale {
  std::array<uint8_t*, kBurst> at;
  size_t count = 0;
};

// Returns where the frame is. Its bytes are as another template has left them if it is stale.
inline uint8_t* Claim(rte_mbuf* mbuf, const Template& frame, Stale& stale) {
  uint64_t& key = TemplateKey(mbuf);
  if (key == frame.key) return rte_pktmbuf_mtod(mbuf, uint8_t*);
  if (key == 0) rte_pktmbuf_reset(mbuf);
  key = frame.key;
  SetLength(mbuf, frame.image.bytes());
  return stale.at[stale.count++] = rte_pktmbuf_mtod(mbuf, uint8_t*);
}

uint32_t CopyFrames(ReplayFeed& feed, const FrameRun& run, rte_mbuf** mbufs) {
  feed.Release(run.first);
  uint32_t bytes = 0;
  for (uint16_t i = 0; i < run.count; ++i) {
    WriteFrame(feed.At(run.first + i), mbufs[i]);
    bytes += mbufs[i]->pkt_len;
  }
  return bytes;
}

// A buffer of one segment without other references.
bool IsPlain(const rte_mbuf* mbuf) {
  return mbuf->nb_segs == 1 && rte_mbuf_refcnt_read(mbuf) == 1 && RTE_MBUF_DIRECT(mbuf);
}

}  // namespace

Frame WholeOfPieces(const rte_mbuf* mbuf) {
  // The longest frame that any port takes.
  constexpr uint32_t kMostBytes = 65'536;
  static thread_local std::array<uint8_t, kMostBytes> copy;
  const uint32_t bytes = std::min(mbuf->pkt_len, kMostBytes);
  return {static_cast<const uint8_t*>(rte_pktmbuf_read(mbuf, 0, bytes, copy.data())), bytes};
}

// Most buffers are plain and of one pool, which takes them unchanged: their second cache lines,
// where DPDK looks for further segments, are not touched.
void FreeBurst(rte_mbuf** mbufs, uint16_t count) {
  rte_mempool* pool = mbufs[0]->pool;
  bool plain = true;
  for (uint16_t k = 0; k < count; ++k) plain &= mbufs[k]->pool == pool && IsPlain(mbufs[k]);
  if (plain) [[likely]] {
    PutBack(pool, mbufs, count);
  } else {
    rte_pktmbuf_free_bulk(mbufs, count);
  }
}

uint8_t* ClaimFrame(rte_mbuf* mbuf, size_t bytes) {
  rte_pktmbuf_reset(mbuf);
  SetLength(mbuf, bytes);
  TemplateKey(mbuf) = 0;
  return rte_pktmbuf_mtod(mbuf, uint8_t*);
}

void WriteFrame(Frame frame, rte_mbuf* mbuf) {
  rte_memcpy(ClaimFrame(mbuf, frame.size()), frame.data(), frame.size());
}

uint32_t WriteFrames(const Frames& frames, Cursor& cursor, const FrameRun& run, rte_mbuf** mbufs) {
  if (ReplayFeed* feed = frames.feed()) return CopyFrames(*feed, run, mbufs);
  std::array<const Template*, kBurst> chosen;
  std::array<uint8_t*, kBurst> at;
  Stale stale;
  uint32_t bytes = 0;
  if (const Template* only = frames.Only(run.version)) {
    std::fill_n(chosen.data(), run.count, only);
    for (uint16_t i = 0; i < run.count; ++i) at[i] = Claim(mbufs[i], *only, stale);
    only->image.CopyTo(stale.at.data(), stale.count);
    bytes = run.count * static_cast<uint32_t>(only->image.bytes());
  } else {
    frames.Choose(cursor, run, chosen.data());
    for (uint16_t i = 0; i < run.count; ++i) {
      at[i] = Claim(mbufs[i], *chosen[i], stale);
      chosen[i]->image.CopyTo(stale.at.data(), stale.count);
      stale.count = 0;
      bytes += static_cast<uint32_t>(chosen[i]->image.bytes());
    }
  }
  frames.Write(cursor, run, chosen.data(), at.data());
  return bytes;
}

}  // namespace tester
