// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "wire/shape.h"

#include "wire/ethernet.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"

namespace tester::wire {
namespace {

// Reads the payload of the packet, from its first byte on.
void ReadBody(Frame body, Shape& shape) {
  if (shape.protocol == kProtocolUdp && body.size() >= 4) shape.udp_port = Load16(body.data() + 2);
  shape.icmp_error = IcmpError::Parse(shape.ip_version, shape.protocol, body);
}

void ReadIpv4(Frame packet, size_t bytes, Shape& shape) {
  const auto ip = Ipv4::Parse(packet, bytes);
  if (!ip) return;
  shape.ip_version = 4;
  shape.protocol = ip->protocol;
  shape.end = ip->total_bytes;
  shape.body_bytes = ip->total_bytes - ip->header_bytes;
  shape.fragment = ip->fragment;
  if (packet.size() < ip->header_bytes || ip->later_fragment) return;
  ReadBody(packet.subspan(ip->header_bytes), shape);
}

void ReadIpv6(Frame packet, size_t bytes, Shape& shape) {
  const auto ip = Ipv6::Parse(packet, bytes);
  if (!ip) return;
  shape.ip_version = 6;
  shape.protocol = ip->next_header;
  shape.end = kIpv6HeaderBytes + ip->payload_bytes;
  shape.body_bytes = ip->payload_bytes;
  shape.fragment = ip->next_header == kNextHeaderFragment;
  ReadBody(packet.subspan(kIpv6HeaderBytes), shape);
}

}  // namespace

Shape Shape::Of(Frame frame, size_t bytes) {
  const auto ethernet = Ethernet::Parse(frame);
  if (!ethernet) return {};
  Shape shape{.tags = (ethernet->header_bytes - kMacHeaderBytes) / kVlanTagBytes};
  const Frame packet = frame.subspan(ethernet->header_bytes);
  bytes -= ethernet->header_bytes;
  if (ethernet->type == kEtherTypeIpv4) ReadIpv4(packet, bytes, shape);
  if (ethernet->type == kEtherTypeIpv6) ReadIpv6(packet, bytes, shape);
  shape.end += ethernet->header_bytes;
  return shape;
}

}  // namespace tester::wire
