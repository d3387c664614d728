// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/actions.h"

#include <algorithm>

#include "inline/packet_sums.h"

namespace tester {
namespace {

constexpr uint8_t kCongestionExperienced = 0x03;

// Where a part of a packet begins, and may be changed: not in its padding.
struct Room {
  bool exists = false;
  size_t begin = 0;
  size_t end = 0;
};

Room RoomOf(Part part, Frame frame, const Segment& segment) {
  size_t begin = 0;
  if (part == Part::kNetwork) begin = segment.network;
  if (part == Part::kTransport) begin = segment.transport;
  if (part == Part::kPayload) begin = segment.payload;
  return {.exists = part == Part::kFrame || begin != 0,
          .begin = begin,
          .end = std::min<size_t>(segment.end, frame.size())};
}

}  // namespace

bool MarkCe(MutableFrame frame, const Segment& segment) {
  if (!segment.has_network()) return false;
  const size_t byte = segment.network + 1;
  const uint8_t before = frame[byte];
  if (segment.ip_version == 6) {
    frame[byte] = static_cast<uint8_t>(before | kCongestionExperienced << 4);
    return true;
  }
  PacketSums sums(frame, segment);
  frame[byte] = before | kCongestionExperienced;
  if (before != frame[byte]) sums.Follow(byte, before);
  return true;
}

bool Corrupt(MutableFrame frame, const Segment& segment, const CorruptPacket& corrupt) {
  const Room room = RoomOf(corrupt.part, frame, segment);
  const size_t byte = room.begin + corrupt.bit / 8;
  if (!room.exists || byte >= room.end) return false;
  PacketSums sums(frame, segment);
  if (corrupt.repair && sums.Has(byte)) return false;
  const uint8_t before = frame[byte];
  frame[byte] = static_cast<uint8_t>(before ^ 0x80U >> corrupt.bit % 8);
  if (corrupt.repair) sums.Follow(byte, before);
  return true;
}

bool Rewrite(MutableFrame frame, const Segment& segment, const RewritePacket& rewrite) {
  if (rewrite.ip_version != 0 && rewrite.ip_version != segment.ip_version) return false;
  const bool other = rewrite.protocol != segment.protocol || !segment.has_transport();
  if (rewrite.protocol != 0 && other) return false;
  const Room room = RoomOf(rewrite.part, frame, segment);
  const size_t begin = room.begin + rewrite.offset;
  if (!room.exists || begin + rewrite.mask.size() > room.end) return false;
  PacketSums sums(frame, segment);
  if (rewrite.repair) {
    for (size_t i = 0; i < rewrite.mask.size(); ++i) {
      if (rewrite.mask[i] != 0 && sums.Has(begin + i)) return false;
    }
  }
  for (size_t i = 0; i < rewrite.mask.size(); ++i) {
    uint8_t& byte = frame[begin + i];
    const uint8_t before = byte;
    byte = static_cast<uint8_t>((before & ~rewrite.mask[i]) | rewrite.value[i]);
    if (rewrite.repair && byte != before) sums.Follow(begin + i, before);
  }
  return true;
}

}  // namespace tester
