// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/buffers.h"

#include <rte_memcpy.h>

#include <algorithm>
#include <array>

namespace tester {
namespace {

void Fill(rte_mbuf* mbuf, Frame frame) {
  mbuf->data_len = static_cast<uint16_t>(frame.size());
  mbuf->pkt_len = static_cast<uint32_t>(frame.size());
  rte_memcpy(rte_pktmbuf_mtod(mbuf, void*), frame.data(), frame.size());
}

// Returns where the frame is. All but its bytes and its length is as another template has left it.
inline uint8_t* Hold(rte_mbuf* mbuf, const Template& frame) {
  uint64_t& key = TemplateKey(mbuf);
  if (key != frame.key) [[unlikely]] {
    if (key == 0) rte_pktmbuf_reset(mbuf);
    Fill(mbuf, frame.bytes);
    key = frame.key;
  }
  return rte_pktmbuf_mtod(mbuf, uint8_t*);
}

uint32_t CopyFrames(ReplayFeed& feed, const Run& run, rte_mbuf** mbufs) {
  feed.Release(run.first);
  uint32_t bytes = 0;
  for (uint16_t i = 0; i < run.count; ++i) {
    WriteFrame(feed.At(run.first + i), mbufs[i]);
    bytes += mbufs[i]->pkt_len;
  }
  return bytes;
}

}  // namespace

void WriteFrame(Frame frame, rte_mbuf* mbuf) {
  rte_pktmbuf_reset(mbuf);
  Fill(mbuf, frame);
  TemplateKey(mbuf) = 0;
}

uint32_t WriteFrames(const Frames& frames, Cursor& cursor, const Run& run, rte_mbuf** mbufs) {
  if (ReplayFeed* feed = frames.feed()) return CopyFrames(*feed, run, mbufs);
  std::array<const Template*, kBurst> chosen;
  std::array<uint8_t*, kBurst> at;
  uint32_t bytes = 0;
  if (const Template* only = frames.Only(run.version)) {
    std::fill_n(chosen.data(), run.count, only);
    for (uint16_t i = 0; i < run.count; ++i) at[i] = Hold(mbufs[i], *only);
    bytes = run.count * static_cast<uint32_t>(only->bytes.size());
  } else {
    frames.Choose(cursor, run, chosen.data());
    for (uint16_t i = 0; i < run.count; ++i) {
      at[i] = Hold(mbufs[i], *chosen[i]);
      bytes += static_cast<uint32_t>(chosen[i]->bytes.size());
    }
  }
  frames.Write(cursor, run, chosen.data(), at.data());
  return bytes;
}

}  // namespace tester
