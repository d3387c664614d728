// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/events/actions.h"

#include <algorithm>
#include <array>

#include "inline/events/packet_sums.h"
#include "wire/bth.h"
#include "wire/icrc.h"

namespace tester {
namespace {

constexpr uint8_t kCongestionExperienced = 0x03;

// A part of a packet that may be changed, without padding.
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

// The ICRC of a packet of RoCEv2, which can follow its bytes where it is right. `repair`: whether
// it is to; else it costs nothing.
class FollowedIcrc {
 public:
  FollowedIcrc(MutableFrame frame, const Segment& segment, bool repair)
      : frame_(frame),
        segment_(segment),
        at_(segment.end - wire::kIcrcBytes),
        is_right_(repair && segment.is_roce && segment.end <= frame.size() &&
                  wire::HasRightIcrc(frame.data(), segment.network, segment.transport, at_)) {}

  bool Has(size_t byte) const { return is_right_ && byte >= at_ && byte < at_ + wire::kIcrcBytes; }
  // And the checksum of UDP, which has it in its sum.
  void Follow(PacketSums& sums) {
    if (!is_right_) return;
    std::array<uint8_t, wire::kIcrcBytes> before;
    std::copy_n(frame_.begin() + static_cast<ptrdiff_t>(at_), before.size(), before.begin());
    wire::SetIcrc(frame_.data(), segment_.network, segment_.transport, at_);
    for (size_t i = 0; i < before.size(); ++i) {
      if (frame_[at_ + i] != before[i]) sums.Follow(at_ + i, before[i]);
    }
  }

 private:
  const MutableFrame frame_;
  const Segment& segment_;
  const size_t at_;
  const bool is_right_;
};

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
  FollowedIcrc icrc(frame, segment, corrupt.repair);
  if (corrupt.repair && (sums.Has(byte) || icrc.Has(byte))) return false;
  const uint8_t before = frame[byte];
  frame[byte] = static_cast<uint8_t>(before ^ 0x80U >> corrupt.bit % 8);
  if (corrupt.repair) sums.Follow(byte, before);
  icrc.Follow(sums);
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
  FollowedIcrc icrc(frame, segment, rewrite.repair);
  if (rewrite.repair) {
    for (size_t i = 0; i < rewrite.mask.size(); ++i) {
      if (rewrite.mask[i] != 0 && (sums.Has(begin + i) || icrc.Has(begin + i))) return false;
    }
  }
  for (size_t i = 0; i < rewrite.mask.size(); ++i) {
    uint8_t& byte = frame[begin + i];
    const uint8_t before = byte;
    byte = static_cast<uint8_t>((before & ~rewrite.mask[i]) | rewrite.value[i]);
    if (rewrite.repair && byte != before) sums.Follow(begin + i, before);
  }
  icrc.Follow(sums);
  return true;
}

}  // namespace tester
