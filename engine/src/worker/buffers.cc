// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/buffers.h"

#include <array>
#include <cstring>

namespace tester {
namespace {

void Fill(rte_mbuf* mbuf, Frame frame) {
  rte_pktmbuf_reset(mbuf);
  mbuf->data_len = static_cast<uint16_t>(frame.size());
  mbuf->pkt_len = static_cast<uint32_t>(frame.size());
  std::memcpy(rte_pktmbuf_mtod(mbuf, void*), frame.data(), frame.size());
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
  Fill(mbuf, frame);
  TemplateKey(mbuf) = 0;
}

uint32_t WriteFrames(const Frames& frames, Cursor& cursor, const Run& run, rte_mbuf** mbufs) {
  if (ReplayFeed* feed = frames.feed()) return CopyFrames(*feed, run, mbufs);
  std::array<const Template*, kBurst> chosen;
  std::array<uint8_t*, kBurst> at;
  if (const Template* only = frames.Only(run.version)) {
    chosen.fill(only);
  } else {
    frames.Choose(cursor, run, chosen.data());
  }
  uint32_t bytes = 0;
  for (uint16_t i = 0; i < run.count; ++i) {
    if (TemplateKey(mbufs[i]) != chosen[i]->key) [[unlikely]] {
      Fill(mbufs[i], chosen[i]->bytes);
      TemplateKey(mbufs[i]) = chosen[i]->key;
    }
    at[i] = rte_pktmbuf_mtod(mbufs[i], uint8_t*);
    bytes += mbufs[i]->pkt_len;
  }
  frames.Write(cursor, run, chosen.data(), at.data());
  return bytes;
}

}  // namespace tester
