// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/stamps/stamp_place.h"

#include "wire/ethernet.h"
#include "wire/ipv4.h"
#include "wire/udp.h"

namespace tester {
namespace {

constexpr uint16_t kVxlanPort = 4789;
constexpr uint16_t kGtpUPort = 2152;
constexpr size_t kTunnelBytes = 8;  // of VXLAN, and of GTP-U without its optional part
constexpr size_t kGtpOptionalBytes = 4;
constexpr uint8_t kGtpUser = 255;  // the type of a message that carries a packet
constexpr size_t kFixedTcpBytes = 20;

// The offset of the packet in a GTP-U message; the end of the frame without a packet.
size_t GtpPayload(Frame packet, size_t at) {
  const uint8_t* gtp = packet.data() + at;
  if (gtp[0] >> 5 != 1 || gtp[1] != kGtpUser) return packet.size();
  size_t begin = at + kTunnelBytes;
  if ((gtp[0] & 7) == 0) return begin;
  begin += kGtpOptionalBytes;
  if (begin > packet.size() || (gtp[0] & 4) == 0) return begin;
  // Extension headers, each with its length in words of four bytes and the type of the next one.
  for (uint8_t next = packet[begin - 1]; next != 0; next = packet[begin - 1]) {
    if (begin >= packet.size() || packet[begin] == 0) return packet.size();
    begin += size_t{packet[begin]} * 4;
    if (begin > packet.size()) return packet.size();
  }
  return begin;
}

// The offset of the packet in a VXLAN frame; the end of the frame without a packet.
size_t VxlanPayload(Frame packet, size_t at) {
  const auto ethernet = wire::Ethernet::Parse(packet.subspan(at + kTunnelBytes));
  if (!ethernet) return packet.size();
  if (ethernet->type != wire::kEtherTypeIpv4 && ethernet->type != wire::kEtherTypeIpv6) {
    return packet.size();
  }
  return at + kTunnelBytes + ethernet->header_bytes;
}

}  // namespace

void StampPlace::FindInTunnel(Frame frame, Tunnel of) {
  const Segment first = Segment::Of(frame);
  if (!first.has_network()) return;
  whole = IsWhole(frame, first);
  outer = first;
  tunnel = first.payload;
  if (!whole || !first.is_udp() || tunnel + kTunnelBytes > first.end) return;
  gtp = of == Tunnel::kGtpU;
  const Frame packet = frame.first(first.end);
  const size_t begin = gtp ? GtpPayload(packet, tunnel) : VxlanPayload(packet, tunnel);
  inner = Segment::OfPacket(packet, static_cast<Segment::Offset>(begin));
  in_tunnel = inner.has_network();
  if (in_tunnel) whole = IsWhole(frame, inner);
}

Tunnel StampPlace::TunnelIn(Frame frame) const {
  if (!inner.is_udp()) return Tunnel::kNone;
  const uint16_t port = wire::Load16(frame.data() + inner.transport + 2);
  if (port == kVxlanPort) return Tunnel::kVxlan;
  return port == kGtpUPort ? Tunnel::kGtpU : Tunnel::kNone;
}

size_t StampPlace::stamp() const {
  return inner.transport + (is_tcp() ? kFixedTcpBytes : kUdpHeaderBytes);
}

}  // namespace tester
