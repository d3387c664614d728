// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "receiver/foreign.h"

#include <algorithm>

#include "wire/checksum.h"
#include "wire/ethernet.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"
#include "wire/shape.h"
#include "wire/udp.h"

namespace tester {
namespace {

constexpr size_t kTcpHeaderBytes = 20;
constexpr size_t kIcmpHeaderBytes = 8;

// In one's complement, checksum included, a right sum is 0xffff.
bool IsRightSum(uint64_t sum) { return wire::Fold(sum) == 0xffff; }

bool IsMalformedUdp(Frame body, uint64_t pseudo, bool needs_checksum) {
  if (body.size() < kUdpHeaderBytes) return true;
  const size_t bytes = wire::Load16(body.data() + 4);
  if (bytes < kUdpHeaderBytes || bytes > body.size()) return true;
  if (wire::Load16(body.data() + 6) == 0) return needs_checksum;
  return !IsRightSum(wire::Sum(body.first(bytes)) + pseudo + bytes);
}

// `pseudo` is the sum of the addresses and the protocol of the pseudo header.
bool IsMalformedBody(uint8_t ip_version, uint8_t protocol, Frame body, uint64_t pseudo) {
  if (protocol == wire::kProtocolUdp) return IsMalformedUdp(body, pseudo, ip_version == 6);
  if (protocol == wire::kProtocolTcp) {
    return body.size() < kTcpHeaderBytes || !IsRightSum(wire::Sum(body) + pseudo + body.size());
  }
  if (ip_version == 4 && protocol == wire::kProtocolIcmp) {
    return body.size() < kIcmpHeaderBytes || !IsRightSum(wire::Sum(body));
  }
  if (ip_version == 6 && protocol == wire::kNextHeaderIcmp6) {
    return body.size() < kIcmpHeaderBytes || !IsRightSum(wire::Sum(body) + pseudo + body.size());
  }
  return false;
}

bool IsMalformedIpv4(Frame packet) {
  const auto ip = wire::Ipv4::Parse(packet);
  if (!ip || !IsRightSum(wire::Sum(packet.first(ip->header_bytes)))) return true;
  if (ip->fragment) return false;
  const Frame body = packet.subspan(ip->header_bytes, ip->total_bytes - ip->header_bytes);
  constexpr size_t kAddresses = 12;
  return IsMalformedBody(4, ip->protocol, body,
                         wire::Sum(packet.subspan(kAddresses, 8)) + ip->protocol);
}

bool IsMalformedIpv6(Frame packet) {
  const auto ip = wire::Ipv6::Parse(packet);
  if (!ip) return true;
  const Frame body = packet.subspan(wire::kIpv6HeaderBytes, ip->payload_bytes);
  constexpr size_t kAddresses = 8;
  return IsMalformedBody(6, ip->next_header, body,
                         wire::Sum(packet.subspan(kAddresses, 32)) + ip->next_header);
}

}  // namespace

bool IsMalformed(Frame frame) {
  if (frame.size() < wire::kMacHeaderBytes) return true;
  const auto ethernet = wire::Ethernet::Parse(frame);
  if (!ethernet) return false;  // more tags than are read
  const Frame packet = frame.subspan(ethernet->header_bytes);
  if (ethernet->type == wire::kEtherTypeIpv4) return IsMalformedIpv4(packet);
  return ethernet->type == wire::kEtherTypeIpv6 && IsMalformedIpv6(packet);
}

void CountForeign(Frame frame, size_t bytes, PortCounters& port) {
  if (frame.size() == bytes && IsMalformed(frame)) {
    port.rx_malformed.Add(1);
    return;
  }
  const wire::Shape shape = wire::Shape::Of(frame, bytes);
  if (shape.fragment) {
    port.rx_fragments.Add(1);
  } else if (shape.icmp_error) {
    port.rx_icmp_errors.Add(*shape.icmp_error);
  }
}

}  // namespace tester
