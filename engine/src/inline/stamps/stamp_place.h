// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The room for a stamp in a packet, and the headers around it whose lengths and checksums change
// with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "inline/segment.h"
#include "inline/stamps/stamp_plan.h"
#include "wire/bytes.h"

namespace tester {

struct StampPlace {
  StampPlace() = default;
  // `tunnel`: stamps the packet in this tunnel. A frame without the tunnel has no place.
  StampPlace(Frame frame, Tunnel tunnel)
      : inner(tunnel == Tunnel::kNone ? Segment::Of(frame) : Segment{}) {
    if (tunnel == Tunnel::kNone) {
      whole = found() && IsWhole(frame, inner);
    } else {
      FindInTunnel(frame, tunnel);
    }
  }
  // The tunnel that the UDP port of a packet outside of tunnels suggests.
  Tunnel TunnelIn(Frame frame) const;

  bool found() const { return inner.has_network(); }
  // A packet of TCP or UDP that is no fragment.
  bool has_transport() const { return whole && (is_tcp() || inner.is_udp()); }
  bool is_tcp() const { return inner.is_tcp(); }
  // The offset of the stamp: directly behind the fixed header of TCP, or behind that of UDP.
  size_t stamp() const;
  // Bytes of the outermost IP packet.
  size_t packet_bytes() const {
    return in_tunnel ? outer->end - outer->network : inner.end - inner.network;
  }

  Segment inner;                   // that has the stamp
  std::optional<Segment> outer{};  // with a tunnel
  size_t tunnel = 0;               // begin of its header
  bool in_tunnel = false;
  bool gtp = false;
  bool whole = false;  // no fragment

 private:
  void FindInTunnel(Frame frame, Tunnel of);
  static bool IsWhole(Frame frame, const Segment& segment) {
    if (segment.ip_version != 4) return !segment.fragment_header;
    return (wire::Load16(frame.data() + segment.network + 6) & 0x3fff) == 0;
  }
};

}  // namespace tester
