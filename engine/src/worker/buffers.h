// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames in buffers of DPDK. A buffer remembers its template: when the driver returns it, only the
// changing bytes are written, so a frame costs its edits and not its length.
#pragma once

#include <rte_mbuf.h>

#include <cstdint>

#include "generator/frames/frames.h"
#include "wire/bytes.h"

namespace tester {

// The key of the template an mbuf holds; 0: none.
inline uint64_t& TemplateKey(rte_mbuf* mbuf) {
  return *static_cast<uint64_t*>(rte_mbuf_to_priv(mbuf));
}

// False when the pool has not as many: the driver still holds them.
inline bool Allocate(rte_mempool* pool, rte_mbuf** mbufs, unsigned count) {
  return rte_mempool_get_bulk(pool, reinterpret_cast<void**>(mbufs), count) == 0;
}

// Returns buffers that the driver did not take; they keep their contents.
inline void PutBack(rte_mempool* pool, rte_mbuf** mbufs, unsigned count) {
  rte_mempool_put_bulk(pool, reinterpret_cast<void* const*>(mbufs), count);
}

// All bytes of a frame. A frame in several segments is copied; the copy is valid until the next
// call on this thread.
Frame WholeOfPieces(const rte_mbuf* mbuf);
inline Frame Whole(const rte_mbuf* mbuf) {
  if (mbuf->data_len != mbuf->pkt_len) [[unlikely]]
    return WholeOfPieces(mbuf);
  return {rte_pktmbuf_mtod(mbuf, const uint8_t*), mbuf->data_len};
}

// Frees at least one buffer, of whichever pools.
void FreeBurst(rte_mbuf** mbufs, uint16_t count);

// Room for a frame of `bytes` bytes that belongs to no template.
uint8_t* ClaimFrame(rte_mbuf* mbuf, size_t bytes);

// Writes a frame that is no template's.
void WriteFrame(Frame frame, rte_mbuf* mbuf);

// Writes a run of a stream's frames into as many buffers. Returns their bytes, without FCS.
uint32_t WriteFrames(const Frames& frames, Cursor& cursor, const FrameRun& run, rte_mbuf** mbufs);

}  // namespace tester
