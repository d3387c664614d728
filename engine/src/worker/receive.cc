// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/receive.h"

#include <rte_ethdev.h>
#include <rte_prefetch.h>

#include <array>

#include "wire/ethernet.h"
#include "worker/buffers.h"
#include "worker/transmit.h"

namespace tester {
namespace {

constexpr int kMostBursts = 4;

Frame FirstSegment(const rte_mbuf* mbuf) {
  return {rte_pktmbuf_mtod(mbuf, const uint8_t*), mbuf->data_len};
}

bool CountSigned(const PortProgram& port, const Classifier& classifier, const uint8_t* signature,
                 uint32_t bytes, uint64_t now_ns) {
  const Expected* stream = classifier.Find(signature);
  return stream != nullptr &&
         CountReceived(*stream, wire::Signature::Read(signature), port.index, bytes, now_ns);
}

// A frame that does not end in a signature: padded by the device under test, a neighbour's question
// or answer, or foreign.
void ServeOther(const PortProgram& program, const Classifier& classifier, const rte_mbuf* mbuf,
                uint64_t now_ns) {
  Port& port = *program.port;
  const Frame frame = FirstSegment(mbuf);
  const uint8_t* signature = mbuf->nb_segs == 1 ? SignatureBeforePadding(frame) : nullptr;
  if (signature != nullptr && CountSigned(program, classifier, signature, mbuf->pkt_len, now_ns)) {
    return;
  }
  port.counters.rx_foreign.Add(1);
  std::array<uint8_t, kNeighbourFrameBytes> reply;
  if (const size_t bytes = AnswerNeighbour(frame, *program.neighbours, reply); bytes != 0) {
    if (SendFrame(port, Frame(reply).first(bytes))) port.counters.neighbour_replies.Add(1);
  } else if (const auto neighbour = ReadAdvertisement(frame)) {
    port.learned.Push(*neighbour);
  }
}

void ServeFrame(const PortProgram& port, const Classifier& classifier, const rte_mbuf* mbuf,
                uint64_t now_ns) {
  std::array<uint8_t, wire::kSignatureBytes> copy;
  if (mbuf->pkt_len >= wire::kMacHeaderBytes + wire::kSignatureBytes) [[likely]] {
    // Only a frame in several segments is copied.
    const auto* signature = static_cast<const uint8_t*>(
        rte_pktmbuf_read(mbuf, mbuf->pkt_len - static_cast<uint32_t>(wire::kSignatureBytes),
                         wire::kSignatureBytes, copy.data()));
    if (CountSigned(port, classifier, signature, mbuf->pkt_len, now_ns)) [[likely]] {
      return;
    }
  }
  ServeOther(port, classifier, mbuf, now_ns);
}

}  // namespace

uint32_t ServeReceive(const PortProgram& program, const Classifier& classifier,
                      const Clock& clock) {
  Port& port = *program.port;
  uint32_t total = 0;
  for (int i = 0; i < kMostBursts; ++i) {
    std::array<rte_mbuf*, kBurst> mbufs;
    const uint16_t count = rte_eth_rx_burst(port.device(), 0, mbufs.data(), kBurst);
    if (count == 0) break;
    const uint64_t now_ns = clock.Now();
    for (uint16_t k = 0; k < count; ++k) {
      rte_prefetch0(rte_pktmbuf_mtod_offset(mbufs[k], const uint8_t*, mbufs[k]->data_len - 1));
    }
    uint64_t bytes = 0;
    for (uint16_t k = 0; k < count; ++k) {
      bytes += mbufs[k]->pkt_len;
      ServeFrame(program, classifier, mbufs[k], now_ns);
      // The kernel has written over the template that this buffer may have held.
      if (port.shared_pool()) TemplateKey(mbufs[k]) = 0;
    }
    rte_pktmbuf_free_bulk(mbufs.data(), count);
    port.counters.rx_packets.Add(count);
    port.counters.rx_bytes.Add(bytes + uint64_t{count} * wire::kFcsBytes);
    total += count;
    if (count < kBurst) break;
  }
  return total;
}

}  // namespace tester
