// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "policy/frame_addresses.h"

#include <algorithm>

#include "wire/ethernet.h"

namespace tester {
namespace {

constexpr size_t kMostTags = 8;
constexpr uint16_t kEtherTypeOldQinq = 0x9100;

constexpr size_t kIpv4Bytes = 20;
constexpr size_t kIpv4Source = 12;
constexpr size_t kIpv4Destination = 16;
// Options with a way to go (RFC 791 section 3.1); the padding at the end.
constexpr uint8_t kLooseRoute = 131;
constexpr uint8_t kStrictRoute = 137;
constexpr uint8_t kEndOfOptions = 0;
constexpr uint8_t kNoOperation = 1;

constexpr size_t kIpv6Bytes = 40;
constexpr size_t kIpv6NextHeader = 6;
constexpr size_t kIpv6Source = 8;
constexpr size_t kIpv6Destination = 24;
constexpr uint8_t kHopByHop = 0;
constexpr uint8_t kRouting = 43;
constexpr uint8_t kFragment = 44;
constexpr uint8_t kAuthentication = 51;
constexpr uint8_t kIcmpv6 = 58;
constexpr uint8_t kDestinationOptions = 60;
constexpr uint8_t kMobility = 135;
constexpr uint8_t kHostIdentity = 139;
constexpr uint8_t kShim6 = 140;
constexpr size_t kMostExtensions = 8;
constexpr uint8_t kNeighbourSolicitation = 135;
constexpr uint8_t kNeighbourAdvertisement = 136;
constexpr size_t kTarget = 8;  // within ICMPv6
// ff02::1:ff00:0/104 (RFC 4291 section 2.7.1).
constexpr std::array<uint8_t, 13> kSolicitedNode = {0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff};

constexpr size_t kArpBytes = 28;
constexpr std::array<uint8_t, 6> kArpEthernetIpv4 = {0, 1, 8, 0, 6, 4};
constexpr size_t kArpSenderMac = 8;
constexpr size_t kArpSender = 14;
constexpr size_t kArpTarget = 24;

// A packet that goes elsewhere than its destination address says.
bool HasSourceRoute(Frame options) {
  for (size_t at = 0; at < options.size() && options[at] != kEndOfOptions;) {
    if (options[at] == kLooseRoute || options[at] == kStrictRoute) return true;
    const bool is_long = options[at] != kNoOperation;
    if (is_long && (at + 1 == options.size() || options[at + 1] < 2)) return false;
    at += is_long ? options[at + 1] : 1;
  }
  return false;
}

// Whether another header of IPv6 follows this one (RFC 8200 section 4, and the registry of RFC
// 7045).
constexpr bool IsExtension(uint8_t header) {
  return header == kHopByHop || header == kFragment || header == kAuthentication ||
         header == kDestinationOptions || header == kMobility || header == kHostIdentity ||
         header == kShim6;
}

// Bytes of an extension header of which the first two are there.
size_t BytesOfExtension(uint8_t header, Frame bytes) {
  if (header == kFragment) return 8;
  if (header == kAuthentication) return 4 * (bytes[1] + size_t{2});
  return 8 * (bytes[1] + size_t{1});
}

// A fragment but the first one: what is behind its header is from within the packet.
bool IsLaterFragment(uint8_t header, Frame bytes) {
  return header == kFragment && bytes.size() >= 4 && (wire::Load16(bytes.data() + 2) >> 3) != 0;
}

}  // namespace

Wide AddressPlace::In(Frame frame) const {
  Wide value = 0;
  for (const uint8_t byte : frame.subspan(offset, OctetsOf(family))) value = value << 8 | byte;
  return value;
}

void FrameAddresses::AddPlace(Family family, Side side, size_t offset, std::string_view name) {
  places_[place_count_++] = {
      .family = family, .side = side, .offset = static_cast<uint32_t>(offset), .name = name};
}

void FrameAddresses::AddStructure(size_t begin, size_t end) {
  structure_[structure_count_++] = {.begin = static_cast<uint32_t>(begin),
                                    .end = static_cast<uint32_t>(end)};
}

FrameAddresses FrameAddresses::Of(Frame frame) {
  FrameAddresses found;
  found.AddPlace(Family::kMac, Side::kDestination, 0, "destination MAC address");
  found.AddPlace(Family::kMac, Side::kSource, 6, "source MAC address");
  size_t at = 2 * Mac{}.size();
  uint16_t type = wire::Load16(frame.data() + at);
  found.AddBytes(at, 2);
  for (size_t tags = 0;
       type == wire::kEtherTypeVlan || type == wire::kEtherTypeQinq || type == kEtherTypeOldQinq;
       ++tags) {
    at += wire::kVlanTagBytes;
    if (tags == kMostTags || at + 2 > frame.size()) {
      found.problem_ = "its VLAN tags do not end";
      return found;
    }
    type = wire::Load16(frame.data() + at);
    found.AddBytes(at, 2);
  }
  at += 2;
  if (type == wire::kEtherTypeIpv4) {
    found.WalkIpv4(frame, at);
  } else if (type == wire::kEtherTypeIpv6) {
    found.WalkIpv6(frame, at);
  } else if (type == wire::kEtherTypeArp) {
    found.WalkArp(frame, at);
  } else {
    found.is_other_ = true;
  }
  return found;
}

void FrameAddresses::WalkIpv4(Frame frame, size_t at) {
  const size_t room = frame.size() - at;
  const size_t bytes = room == 0 ? 0 : (frame[at] & 15U) * 4U;
  if (room < kIpv4Bytes || frame[at] >> 4 != 4 || bytes < kIpv4Bytes || bytes > room) {
    problem_ = "its IPv4 header is none, or is cut short";
    return;
  }
  AddBytes(at, 1);
  AddPlace(Family::kIpv4, Side::kSource, at + kIpv4Source, "source IPv4 address");
  AddPlace(Family::kIpv4, Side::kDestination, at + kIpv4Destination, "destination IPv4 address");
  if (bytes > kIpv4Bytes) AddBytes(at + kIpv4Bytes, bytes - kIpv4Bytes);
  if (HasSourceRoute(frame.subspan(at + kIpv4Bytes, bytes - kIpv4Bytes))) {
    problem_ = "it has a source route, and so goes elsewhere than to its destination";
  }
}

void FrameAddresses::WalkIpv6(Frame frame, size_t at) {
  if (frame.size() < at + kIpv6Bytes || frame[at] >> 4 != 6) {
    problem_ = "its IPv6 header is none, or is cut short";
    return;
  }
  AddStructure(8 * at, 8 * at + 4);
  AddBytes(at + kIpv6NextHeader, 1);
  const size_t destination = at + kIpv6Destination;
  uint8_t next = frame[at + kIpv6NextHeader];
  size_t behind = at + kIpv6Bytes;
  bool is_whole = true;
  for (size_t i = 0; IsExtension(next) && i < kMostExtensions && is_whole; ++i) {
    if (behind + 2 > frame.size()) break;
    const Frame header = frame.subspan(behind);
    AddBytes(behind, std::min(header.size(), size_t{next == kFragment ? 4U : 2U}));
    is_whole = !IsLaterFragment(next, header);
    behind += BytesOfExtension(next, header);
    next = header[0];
  }
  if (is_whole && (next == kRouting || IsExtension(next))) {
    problem_ =
        "it has a routing header, or headers that do not end, and may go elsewhere than to "
        "its destination";
    return;
  }
  const bool is_icmp = is_whole && next == kIcmpv6;
  const bool has_target = is_icmp && behind + kTarget + 16 <= frame.size();
  if (is_icmp && behind < frame.size()) AddBytes(behind, 1);
  const uint8_t type = has_target ? frame[behind] : uint8_t{0};
  const bool asks =
      type == kNeighbourSolicitation &&
      std::ranges::equal(frame.subspan(destination, kSolicitedNode.size()), kSolicitedNode);
  if (asks) {  // who asks for an address sends to a group that is made of it
    AddBytes(destination, kSolicitedNode.size());
    AddPlace(Family::kIpv6, Side::kDestination, behind + kTarget, "target of the solicitation");
  } else {
    AddPlace(Family::kIpv6, Side::kDestination, destination, "destination IPv6 address");
  }
  if (type == kNeighbourAdvertisement) {
    AddPlace(Family::kIpv6, Side::kSource, behind + kTarget, "target of the advertisement");
  }
  AddPlace(Family::kIpv6, Side::kSource, at + kIpv6Source, "source IPv6 address");
}

void FrameAddresses::WalkArp(Frame frame, size_t at) {
  if (frame.size() < at + kArpBytes ||
      !std::ranges::equal(frame.subspan(at, kArpEthernetIpv4.size()), kArpEthernetIpv4)) {
    problem_ = "it is ARP of others than IPv4 over Ethernet, or is cut short";
    return;
  }
  AddBytes(at, kArpEthernetIpv4.size());
  AddPlace(Family::kMac, Side::kSource, at + kArpSenderMac, "sender's MAC address in ARP");
  AddPlace(Family::kIpv4, Side::kSource, at + kArpSender, "sender's address in ARP");
  const Frame sender = frame.subspan(at + kArpSender, 4);
  if (std::ranges::equal(sender, frame.subspan(at + kArpTarget, 4))) {  // it is announced
    AddBytes(at + kArpTarget, 4);
  } else {
    AddPlace(Family::kIpv4, Side::kDestination, at + kArpTarget, "target's address in ARP");
  }
}

}  // namespace tester
