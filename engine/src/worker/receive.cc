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

bool CountIfSigned(const Classifier& classifier, const uint8_t* signature, const Arrival& arrival) {
  const Expected* stream = classifier.Find(signature);
  return stream != nullptr && CountSigned(*stream, signature, arrival);
}

// A frame that does not end in a signature: of a stream without, padded by the device under test, a
// neighbour's question or answer, or foreign.
void ServeOther(const PortProgram& program, const Classifier& classifier, const Arrival& arrival) {
  if (!program.matcher.empty()) {
    if (const Expected* stream = program.matcher.Find(arrival.frame)) {
      CountMatched(*stream, arrival);
      return;
    }
  }
  const bool is_whole = arrival.frame.size() == arrival.bytes;
  const uint8_t* signature = is_whole ? SignatureBeforePadding(arrival.frame) : nullptr;
  if (signature != nullptr && CountIfSigned(classifier, signature, arrival)) return;
  Port& port = *program.port;
  port.counters.rx_foreign.Add(1);
  std::array<uint8_t, kNeighbourFrameBytes> reply;
  if (const size_t bytes = AnswerNeighbour(arrival.frame, *program.neighbours, reply); bytes != 0) {
    if (SendFrame(port, Frame(reply).first(bytes))) port.counters.neighbour_replies.Add(1);
  } else if (const auto neighbour = ReadAdvertisement(arrival.frame)) {
    port.learned.Push(*neighbour);
  }
}

void ServeFrame(const PortProgram& port, const Classifier& classifier, const rte_mbuf* mbuf,
                uint64_t now_ns) {
  const Arrival arrival{
      .frame = FirstSegment(mbuf), .bytes = mbuf->pkt_len, .port = port.index, .now_ns = now_ns};
  std::array<uint8_t, wire::kSignatureBytes> copy;
  if (mbuf->pkt_len >= wire::kMacHeaderBytes + wire::kSignatureBytes) [[likely]] {
    // Only a frame in several segments is copied.
    const auto* signature = static_cast<const uint8_t*>(
        rte_pktmbuf_read(mbuf, mbuf->pkt_len - static_cast<uint32_t>(wire::kSignatureBytes),
                         wire::kSignatureBytes, copy.data()));
    if (CountIfSigned(classifier, signature, arrival)) [[likely]] {
      return;
    }
  }
  ServeOther(port, classifier, arrival);
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
