// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "policy/frame_addresses.h"

#include <algorithm>

#include "wire/ethernet.h"

namespace tester {
namespace {

constexpr size_t kMostTags = 8;
// EtherTypes of VLAN tags: IEEE 802.1Q, 802.1ad, and their predecessors.
constexpr std::array<uint16_t, 5> kTags = {wire::kEtherTypeVlan, wire::kEtherTypeQinq, 0x9100,
                                           0x9200, 0x9300};
constexpr uint16_t kEtherTypeMpls = 0x8847;
constexpr uint16_t kEtherTypeMplsUpstream = 0x8848;
constexpr size_t kLabelBytes = 4;
constexpr uint16_t kEtherTypePppoe = 0x8864;
constexpr size_t kPppoeBytes = 8;  // with the protocol of PPP
constexpr uint16_t kPppIpv4 = 0x0021;
constexpr uint16_t kPppIpv6 = 0x0057;
// Below are packets of the network (RFC 1661 section 2); an odd first byte is no protocol, but one
// byte of protocol, or of address, that the ends have agreed upon (sections 6.5 and 6.6).
constexpr uint16_t kLeastPppControl = 0x8000;
constexpr uint16_t kPppCompressed = 0x0100;
// Below are lengths (IEEE 802.3), behind which SNAP has an EtherType (RFC 1042).
constexpr uint16_t kLeastEtherType = 0x0600;
// EtherTypes that carry whole frames or packets and are not parsed: MACsec, PBB, TRILL and its
// labels, FabricPath, HSR, NSH, Cisco's metadata (security group tags), long frames of LLC; tags of
// port extenders (IEEE 802.1BR, VN-Tag) and of switch chips (EDSA, 802.1Q of DSA, Realtek,
// Broadcom, A5PSW); Ethernet, frame relay and PPP as of GRE; ATM; batman-adv, LWAPP, 6LoWPAN.
constexpr std::array<uint16_t, 24> kCarriers = {
    0x88e5, 0x88e7, 0x22f3, 0x893b, 0x8903, 0x892f, 0x894f, 0x8909, 0x8870, 0x893f, 0x8926, 0xdada,
    0xdadb, 0x8899, 0x8874, 0xe001, 0x6558, 0x6559, 0x880b, 0x884c, 0x8884, 0x4305, 0x88bb, 0xa0ed};
// LLC (IEEE 802.2): the lowest bit of a destination marks a group.
constexpr uint8_t kSapGroup = 1;
constexpr uint8_t kSapIp = 0x06;  // RFC 948
constexpr uint8_t kSapSnap = 0xaa;
constexpr size_t kLlcBytes = 3;
constexpr size_t kSnapBytes = 6;
// Behind the first two is an EtherType (RFC 1042, IEEE 802.1H), behind the third a frame (RFC
// 2684).
constexpr std::array<uint8_t, 3> kSnapEthernet = {0, 0, 0};
constexpr std::array<uint8_t, 3> kSnapTunnel = {0, 0, 0xf8};
constexpr std::array<uint8_t, 3> kSnapBridged = {0, 0x80, 0xc2};

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
// Neighbour discovery (RFC 4861 section 4).
constexpr uint8_t kRouterSolicitation = 133;
constexpr uint8_t kRouterAdvertisement = 134;
constexpr uint8_t kNeighbourSolicitation = 135;
constexpr uint8_t kNeighbourAdvertisement = 136;
constexpr uint8_t kRedirect = 137;
constexpr size_t kTarget = 8;              // within ICMPv6
constexpr uint8_t kSourceLinkAddress = 1;  // of options
constexpr uint8_t kTargetLinkAddress = 2;
constexpr size_t kOptionUnit = 8;
constexpr size_t kMostOptions = 8;
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

// The offset of the options in a message of neighbour discovery; 0: another message.
constexpr size_t OptionsOf(uint8_t type) {
  if (type == kRouterSolicitation) return 8;
  if (type == kRouterAdvertisement) return 16;
  if (type == kNeighbourSolicitation || type == kNeighbourAdvertisement) return 24;
  return type == kRedirect ? 40 : 0;
}

// The length of an extension header, from its first two bytes.
size_t BytesOfExtension(uint8_t header, Frame bytes) {
  if (header == kFragment) return 8;
  if (header == kAuthentication) return 4 * (bytes[1] + size_t{2});
  return 8 * (bytes[1] + size_t{1});
}

// A fragment other than the first one: its header is followed by bytes from within the packet.
bool IsLaterFragment(uint8_t header, Frame bytes) {
  return header == kFragment && bytes.size() >= 4 && (wire::Load16(bytes.data() + 2) >> 3) != 0;
}

}  // namespace

Uint128 AddressPlace::In(Frame frame) const {
  Uint128 value = 0;
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
  found.WalkType(frame, 2 * Mac{}.size(), 0);
  return found;
}

void FrameAddresses::WalkType(Frame frame, size_t at, size_t headers) {
  if (headers > kMostTags || at + 2 > frame.size()) {
    problem_ = "its VLAN tags do not end";
    return;
  }
  AddBytes(at, 2);
  WalkPayload(frame, at + 2, wire::Load16(frame.data() + at), headers);
}

void FrameAddresses::WalkPayload(Frame frame, size_t at, uint16_t type, size_t headers) {
  if (type == wire::kEtherTypeIpv4) return WalkIpv4(frame, at);
  if (type == wire::kEtherTypeIpv6) return WalkIpv6(frame, at);
  if (type == wire::kEtherTypeArp) return WalkArp(frame, at);
  if (type == kEtherTypeMpls || type == kEtherTypeMplsUpstream) return WalkMpls(frame, at);
  if (type == kEtherTypePppoe) return WalkPpp(frame, at);
  if (std::ranges::find(kTags, type) != kTags.end()) return WalkType(frame, at + 2, headers + 1);
  if (std::ranges::find(kCarriers, type) != kCarriers.end()) {
    problem_ = "its EtherType carries packets that are not looked into";
    return;
  }
  if (type < kLeastEtherType) return WalkLlc(frame, at, headers);
  is_other_ = true;
}

// Receivers look neither at the source nor at the control byte.
void FrameAddresses::WalkLlc(Frame frame, size_t at, size_t headers) {
  const Frame llc = frame.subspan(at, std::min(kSnapBytes, frame.size() - at));
  AddBytes(at, llc.size());
  const unsigned sap = llc.size() < kLlcBytes ? 0U : llc[0] & ~unsigned{kSapGroup};
  if (sap == kSapIp) return WalkIpv4(frame, at + kLlcBytes);
  if (sap == kSapSnap && llc.size() == kSnapBytes) {
    const Frame owner = llc.subspan(kLlcBytes);
    if (std::ranges::equal(owner, kSnapEthernet) || std::ranges::equal(owner, kSnapTunnel)) {
      return WalkType(frame, at + kSnapBytes, headers + 1);
    }
    if (std::ranges::equal(owner, kSnapBridged)) {
      problem_ = "its SNAP header carries packets that are not looked into";
      return;
    }
  }
  is_other_ = true;
}

// Labels do not name their payload. A router that removes the last label looks at the first bits
// (RFC 4928 section 3); this code does the same. A payload that is not IP may be a frame of a
// pseudowire, with or without a control word (RFC 4385), or a packet of its channel.
void FrameAddresses::WalkMpls(Frame frame, size_t at) {
  bool is_last = false;
  for (size_t labels = 0; !is_last; ++labels, at += kLabelBytes) {
    if (labels == kMostTags || at + kLabelBytes > frame.size()) {
      problem_ = "its MPLS labels do not end";
      return;
    }
    is_last = (frame[at + 2] & 1U) != 0;
    AddStructure(8 * (at + 3) - 1, 8 * (at + 3));
  }
  const unsigned version = at < frame.size() ? frame[at] >> 4U : 0;
  if (version == 4) return WalkIpv4(frame, at);
  if (version == 6) return WalkIpv6(frame, at);
  problem_ = "its MPLS labels carry what is no packet of IP, and is not looked into";
}

void FrameAddresses::WalkPpp(Frame frame, size_t at) {
  const size_t behind = at + kPppoeBytes;
  if (behind > frame.size()) {
    problem_ = "its PPPoE header is cut short";
    return;
  }
  AddBytes(behind - 2, 2);
  const uint16_t protocol = wire::Load16(frame.data() + behind - 2);
  if (protocol == kPppIpv4) return WalkIpv4(frame, behind);
  if (protocol == kPppIpv6) return WalkIpv6(frame, behind);
  if (protocol < kLeastPppControl || (protocol & kPppCompressed) != 0) {
    problem_ = "its PPP protocol carries packets that are not looked into";
    return;
  }
  is_other_ = true;
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
  if (asks) {  // a request goes to a multicast group that is derived from the address
    AddBytes(destination, kSolicitedNode.size());
    AddPlace(Family::kIpv6, Side::kDestination, behind + kTarget, "target of the solicitation");
  } else {
    AddPlace(Family::kIpv6, Side::kDestination, destination, "destination IPv6 address");
  }
  if (type == kNeighbourAdvertisement) {
    AddPlace(Family::kIpv6, Side::kSource, behind + kTarget, "target of the advertisement");
  }
  AddPlace(Family::kIpv6, Side::kSource, at + kIpv6Source, "source IPv6 address");
  if (!is_icmp || behind >= frame.size()) return;
  if (const size_t options = OptionsOf(frame[behind])) WalkOptions(frame, behind + options);
}

// The receiver sends to the link-layer address in the option, so the address counts as a source, as
// in ARP.
void FrameAddresses::WalkOptions(Frame frame, size_t at) {
  for (size_t i = 0; at + kOptionUnit <= frame.size(); ++i) {
    const size_t bytes = kOptionUnit * frame[at + 1];
    AddBytes(at, 2);
    if (bytes == 0) return;  // receivers discard such a message (RFC 4861 section 4.6)
    const bool has_address = frame[at] == kSourceLinkAddress || frame[at] == kTargetLinkAddress;
    if (i == kMostOptions || (has_address && place_count_ == kMostPlaces)) {
      problem_ = "its options of neighbour discovery do not end";
      return;
    }
    if (has_address) {
      AddPlace(Family::kMac, Side::kSource, at + 2, "link-layer address in neighbour discovery");
    }
    at += bytes;
  }
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
