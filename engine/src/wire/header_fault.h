// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The parts of a frame's headers that may be wrong, and their names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tester::wire {

enum class HeaderFault : uint8_t {
  kMacAddresses,
  kVlanTag,
  kEtherType,
  kMpls,
  kIpv4Header,
  kIpv4Checksum,
  kIpv6Header,
  kIpLength,
  kIpProtocol,
  kIpAddresses,
  kTtl,
  kUdpPorts,
  kUdpLength,
  kUdpChecksum,
  kTcpHeader,
  kTcpChecksum,
  kIcmpHeader,
  kIcmpChecksum,
  kTunnelHeader,
  kOtherHeader,
};

// By HeaderFault; proto/tester/v1/counters.proto lists them.
inline constexpr std::array<std::string_view, 20> kHeaderFaultNames = {
    "MAC addresses",    "VLAN tag",    "EtherType",     "MPLS label",    "IPv4 header",
    "IPv4 checksum",    "IPv6 header", "IP length",     "IP protocol",   "IP addresses",
    "TTL or hop limit", "UDP ports",   "UDP length",    "UDP checksum",  "TCP header",
    "TCP checksum",     "ICMP header", "ICMP checksum", "tunnel header", "another header"};

// A set of faults: one bit for each.
using HeaderFaults = uint32_t;

inline constexpr HeaderFaults kNoFaults = 0;
inline constexpr HeaderFaults kAllFaults = (HeaderFaults{1} << kHeaderFaultNames.size()) - 1;

constexpr HeaderFaults BitOf(HeaderFault fault) {
  return HeaderFaults{1} << static_cast<uint8_t>(fault);
}

}  // namespace tester::wire
