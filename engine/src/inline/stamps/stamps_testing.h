// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Packets with room for stamps, for tests: TCP and UDP, in VLANs and in tunnels, with right
// checksums.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "inline/stamps/stamp.h"
#include "wire/checksum.h"
#include "wire/ethernet.h"
#include "wire/header_walk.h"

namespace tester {

using TestBytes = std::vector<uint8_t>;

struct TestPacket {
  bool tcp = true;
  bool ipv6 = false;
  TestBytes options{};  // of TCP; whole words
  TestBytes payload{};
  bool without_sum = false;  // of UDP
  uint16_t identification = 1;
  uint32_t sequence = 1;
  uint16_t source_port = 40'000;
  uint16_t fragment = 0;
};

// The whole IP packet. The UDP port selects the tunnel.
inline TestBytes PacketOf(const TestPacket& test, uint16_t port = 5201) {
  const size_t ip = test.ipv6 ? 40 : 20;
  const size_t header = test.tcp ? 20 + test.options.size() : 8;
  TestBytes packet(ip + header);
  packet.insert(packet.end(), test.payload.begin(), test.payload.end());
  if (test.tcp) std::ranges::copy(test.options, packet.begin() + static_cast<ptrdiff_t>(ip) + 20);
  const auto bytes = static_cast<uint16_t>(packet.size() - ip);
  const uint8_t protocol = test.tcp ? 6 : 17;
  uint8_t* const at = packet.data();
  if (test.ipv6) {
    at[0] = 0x60;
    wire::Store16(at + 4, bytes);
    at[6] = protocol;
    at[7] = 64;
    at[8 + 15] = 1;
    at[24 + 15] = 2;
  } else {
    at[0] = 0x45;
    wire::Store16(at + 2, static_cast<uint16_t>(packet.size()));
    wire::Store16(at + 4, test.identification);
    wire::Store16(at + 6, test.fragment);
    at[8] = 64;
    at[9] = protocol;
    at[12] = at[16] = 10;
    at[15] = 1;
    at[19] = 2;
    wire::Store16(at + 10, wire::Checksum({at, 20}));
  }
  uint8_t* const transport = at + ip;
  wire::Store16(transport, test.source_port);
  wire::Store16(transport + 2, port);
  if (test.tcp) {
    wire::Store<uint32_t>(transport + 4, test.sequence);
    transport[12] = static_cast<uint8_t>(header / 4 << 4);
    transport[13] = 0x10;
  } else {
    wire::Store16(transport + 4, bytes);
  }
  const uint64_t pseudo =
      wire::Sum({at + (test.ipv6 ? 8 : 12), size_t{test.ipv6 ? 32U : 8U}}) + protocol + bytes;
  const uint16_t sum = wire::Checksum({transport, bytes}, pseudo);
  if (test.tcp) {
    wire::Store16(transport + 16, sum);
  } else if (!test.without_sum) {
    wire::Store16(transport + 6, sum == 0 ? 0xffff : sum);
  }
  return packet;
}

// With its Ethernet header, and padded as it may be.
inline TestBytes FrameAround(const TestBytes& packet, uint16_t vlan = 0) {
  TestBytes frame(18);
  const uint16_t type = packet[0] >> 4 == 4 ? wire::kEtherTypeIpv4 : wire::kEtherTypeIpv6;
  frame.resize(wire::WriteEthernet(frame, {2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 2}, vlan, type));
  frame.insert(frame.end(), packet.begin(), packet.end());
  if (frame.size() < wire::kMinFrameBytes) frame.resize(wire::kMinFrameBytes);
  return frame;
}

// An IP packet in a tunnel.
inline TestBytes Tunnelled(const TestBytes& packet, Tunnel tunnel, bool ipv6, bool without_sum) {
  TestPacket outer{.tcp = false, .ipv6 = ipv6, .payload = {}, .without_sum = without_sum};
  if (tunnel == Tunnel::kVxlan) {
    outer.payload = {0x08, 0, 0, 0, 0, 0, 42, 0};
    const TestBytes frame = FrameAround(packet);
    outer.payload.insert(outer.payload.end(), frame.begin(), frame.begin() + 14);
  } else {
    const auto bytes = static_cast<uint16_t>(packet.size() + 4 + 4);
    outer.payload = {0x34, 255, static_cast<uint8_t>(bytes >> 8), static_cast<uint8_t>(bytes)};
    // A tunnel, no sequence number, and one extension header of four bytes.
    outer.payload.insert(outer.payload.end(), {0, 0, 0, 7, 0, 0, 0, 0x85, 1, 0x10, 9, 0});
  }
  outer.payload.insert(outer.payload.end(), packet.begin(), packet.end());
  return PacketOf(outer, tunnel == Tunnel::kVxlan ? 4789 : 2152);
}

// Whether every checksum and length of a frame is right, in a tunnel as well.
inline bool IsSound(Frame frame, Tunnel tunnel) {
  const auto sound = [](Frame whole) {
    const wire::HeaderWalk walk(whole, Segment::Of(whole).end);
    return walk.WrongSums() == wire::kNoFaults && walk.faults() == wire::kNoFaults;
  };
  if (!sound(frame)) return false;
  if (tunnel != Tunnel::kGtpU) return true;
  const StampPlace place = StampPlace(frame, tunnel);
  if (!place.found()) return false;
  const uint16_t length = wire::Load16(frame.data() + place.tunnel + 2);
  if (place.tunnel + 8 + length != place.outer->end) return false;
  return sound(FrameAround({frame.begin() + static_cast<ptrdiff_t>(place.inner.network),
                            frame.begin() + static_cast<ptrdiff_t>(place.inner.end)}));
}

// A frame in a buffer with something free before it.
class RoomyBuffer {
 public:
  explicit RoomyBuffer(const TestBytes& frame, size_t headroom = 128) : bytes_(headroom) {
    bytes_.insert(bytes_.end(), frame.begin(), frame.end());
    frame_ = {.data = bytes_.data() + headroom, .bytes = frame.size(), .headroom = headroom};
  }

  RoomyFrame& frame() { return frame_; }
  TestBytes bytes() const { return {frame_.data, frame_.data + frame_.bytes}; }

 private:
  TestBytes bytes_;
  RoomyFrame frame_;
};

}  // namespace tester
