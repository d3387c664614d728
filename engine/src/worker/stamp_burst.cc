// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/stamp_burst.h"

#include "worker/buffers.h"

namespace tester {

StampBurst::StampBurst(rte_mbuf** mbufs, uint16_t count) : mbufs_(mbufs), count_(count) {
  for (uint16_t i = 0; i < count; ++i) {
    rte_mbuf* const mbuf = mbufs[i];
    // A stamp may be written only into a buffer without other references.
    const bool whole = mbuf->nb_segs == 1 && rte_mbuf_refcnt_read(mbuf) == 1;
    frames_[i] = {.data = rte_pktmbuf_mtod(mbuf, uint8_t*),
                  .bytes = whole ? mbuf->data_len : size_t{0},
                  .headroom = rte_pktmbuf_headroom(mbuf)};
  }
}

void StampBurst::Apply() {
  for (uint16_t i = 0; i < count_; ++i) {
    rte_mbuf* const mbuf = mbufs_[i];
    const RoomyFrame& frame = frames_[i];
    if (frame.bytes == 0) continue;
    const auto moved = static_cast<int>(frame.headroom) - static_cast<int>(mbuf->data_off);
    mbuf->data_off = static_cast<uint16_t>(frame.headroom);
    mbuf->data_len = static_cast<uint16_t>(mbuf->data_len - moved);
    mbuf->pkt_len = mbuf->data_len;
    TemplateKey(mbuf) = 0;  // over a loop this may be the sender's
  }
}

}  // namespace tester
