// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "receiver/classifier.h"

#include "wire/ethernet.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"

namespace tester {

void Classifier::Add(uint16_t id, const Expected& expected) {
  if (streams_.size() <= id) streams_.resize(size_t{id} + 1);
  streams_[id] = expected;
}

bool CountReceived(const Expected& stream, const wire::Signature& signature, uint16_t port,
                   uint64_t frame_bytes, uint64_t now_ns) {
  // Half of the circle is the past, so neither side of the wrap of 48 bits is special.
  const uint64_t since_start = (signature.timestamp_ns - stream.start_ns) & wire::kMask48;
  if (since_start > wire::kMask48 / 2) return false;
  StreamRx& rx = *stream.counters;
  if (port != stream.rx_port) {
    rx.misrouted.Add(1);
    return true;
  }
  rx.packets.Add(1);
  rx.bytes.Add(frame_bytes + wire::kFcsBytes);
  if (rx.first_ns.Get() == 0) rx.first_ns.Set(now_ns);
  rx.last_ns.Set(now_ns);
  if (signature.sequence >= rx.next_sequence) {
    rx.next_sequence = signature.sequence + 1;
  } else if (signature.sequence + 1 < rx.next_sequence) {
    rx.out_of_order.Add(1);
  }
  rx.latency.Add((now_ns - signature.timestamp_ns) & wire::kMask48);
  return true;
}

const uint8_t* SignatureBeforePadding(Frame frame) {
  const auto ethernet = wire::Ethernet::Parse(frame);
  if (!ethernet) return nullptr;
  const Frame packet = frame.subspan(ethernet->header_bytes);
  size_t packet_bytes = packet.size();
  if (const auto ipv4 = wire::Ipv4::Parse(packet); ipv4) {
    packet_bytes = ipv4->total_bytes;
  } else if (const auto ipv6 = wire::Ipv6::Parse(packet); ipv6) {
    packet_bytes = wire::kIpv6HeaderBytes + ipv6->payload_bytes;
  }
  if (packet_bytes == packet.size() || packet_bytes < wire::kSignatureBytes) return nullptr;
  return packet.data() + packet_bytes - wire::kSignatureBytes;
}

}  // namespace tester
