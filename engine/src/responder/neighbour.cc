// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/neighbour.h"

#include <algorithm>

#include "wire/arp.h"
#include "wire/ethernet.h"
#include "wire/icmp6.h"

namespace tester {
namespace {

constexpr size_t kMappedPrefixBytes = 12;
constexpr Address kMappedPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0};

std::array<uint8_t, 4> Ipv4Of(const Address& address) {
  return {address[12], address[13], address[14], address[15]};
}

// The header of an answer: back to where it came from, with the same tags.
MutableFrame WriteHeader(Frame request, const wire::Ethernet& view, const Mac& destination,
                         const Mac& source, MutableFrame reply) {
  std::copy_n(request.begin(), view.header_bytes, reply.begin());
  wire::StoreMac(reply.data(), destination);
  wire::StoreMac(reply.data() + 6, source);
  return reply.subspan(view.header_bytes);
}

size_t Pad(MutableFrame frame, size_t length) {
  for (; length < wire::kMinFrameBytes; ++length) frame[length] = 0;
  return length;
}

size_t AnswerArp(Frame request, const wire::Ethernet& view, const NeighbourTable& table,
                 MutableFrame reply) {
  const auto arp = wire::Arp::Parse(request.subspan(view.header_bytes));
  if (!arp || arp->operation != wire::Arp::kRequest) return 0;
  if (arp->sender_address == arp->target_address) return 0;  // an announcement, not a question
  const Mac* mac = table.Find(MakeAddress(arp->target_address));
  if (mac == nullptr) return 0;
  const wire::Arp answer{.operation = wire::Arp::kReply,
                         .sender_mac = *mac,
                         .sender_address = arp->target_address,
                         .target_mac = arp->sender_mac,
                         .target_address = arp->sender_address};
  answer.Write(WriteHeader(request, view, arp->sender_mac, *mac, reply));
  return Pad(reply, view.header_bytes + wire::kArpBytes);
}

size_t AnswerSolicitation(Frame request, const wire::Ethernet& view, const NeighbourTable& table,
                          MutableFrame reply) {
  const auto asked = wire::NeighbourMessage::Parse(request.subspan(view.header_bytes));
  if (!asked || asked->type != wire::kNeighbourSolicitation) return 0;
  const Mac* mac = table.Find(asked->target);
  if (mac == nullptr) return 0;
  // A host without an address (duplicate address detection) gets the answer through all nodes
  // (7.2.4).
  const bool unspecified = asked->source == wire::kIpv6Unspecified;
  const wire::NeighbourMessage answer{
      .source = asked->target,
      .destination = unspecified ? wire::kIpv6AllNodes : asked->source,
      .type = wire::kNeighbourAdvertisement,
      .solicited = !unspecified,
      .target = asked->target,
      .link_address = *mac};
  const Mac to = unspecified ? wire::MulticastMac(wire::kIpv6AllNodes)
                             : asked->link_address.value_or(view.source);
  answer.Write(WriteHeader(request, view, to, *mac, reply));
  return view.header_bytes + wire::kNeighbourPacketBytes;
}

bool ByAddress(const Neighbour& a, const Neighbour& b) { return a.address < b.address; }

}  // namespace

Address MakeAddress(Frame bytes) {
  Address address = kMappedPrefix;
  const size_t skip = bytes.size() == 4 ? kMappedPrefixBytes : 0;
  std::copy(bytes.begin(), bytes.end(), address.begin() + static_cast<ptrdiff_t>(skip));
  return address;
}

bool IsIpv4(const Address& address) {
  return std::equal(address.begin(), address.begin() + kMappedPrefixBytes, kMappedPrefix.begin());
}

Frame AddressBytes(const Address& address) {
  return IsIpv4(address) ? Frame(address).subspan(kMappedPrefixBytes) : Frame(address);
}

NeighbourTable::NeighbourTable(std::vector<Neighbour> neighbours)
    : neighbours_(std::move(neighbours)) {
  std::sort(neighbours_.begin(), neighbours_.end(), ByAddress);
}

const Mac* NeighbourTable::Find(const Address& address) const {
  const Neighbour wanted{.address = address, .mac = {}};
  const auto at = std::lower_bound(neighbours_.begin(), neighbours_.end(), wanted, ByAddress);
  return at != neighbours_.end() && at->address == address ? &at->mac : nullptr;
}

size_t AnswerNeighbour(Frame request, const NeighbourTable& table, MutableFrame reply) {
  const auto view = wire::Ethernet::Parse(request);
  if (!view) return 0;
  if (view->type == wire::kEtherTypeArp) return AnswerArp(request, *view, table, reply);
  if (view->type == wire::kEtherTypeIpv6) return AnswerSolicitation(request, *view, table, reply);
  return 0;
}

std::optional<Neighbour> ReadAdvertisement(Frame frame) {
  const auto view = wire::Ethernet::Parse(frame);
  if (!view) return std::nullopt;
  const Frame packet = frame.subspan(view->header_bytes);
  if (view->type == wire::kEtherTypeArp) {
    const auto arp = wire::Arp::Parse(packet);
    if (!arp || arp->operation != wire::Arp::kReply) return std::nullopt;
    return Neighbour{.address = MakeAddress(arp->sender_address), .mac = arp->sender_mac};
  }
  if (view->type != wire::kEtherTypeIpv6) return std::nullopt;
  const auto message = wire::NeighbourMessage::Parse(packet);
  if (!message || message->type != wire::kNeighbourAdvertisement) return std::nullopt;
  // The questions are multicast: their answers have the option (RFC 4861 4.4, 7.2.5).
  if (!message->link_address) return std::nullopt;
  return Neighbour{.address = message->target, .mac = *message->link_address};
}

std::vector<uint8_t> AskNeighbour(const Question& question) {
  std::vector<uint8_t> frame(kNeighbourFrameBytes);
  const MutableFrame to(frame);
  if (IsIpv4(question.address)) {
    const size_t header = wire::WriteEthernet(to, wire::kBroadcast, question.source_mac,
                                              question.vlan, wire::kEtherTypeArp);
    const wire::Arp arp{.operation = wire::Arp::kRequest,
                        .sender_mac = question.source_mac,
                        .sender_address = Ipv4Of(question.source_address),
                        .target_mac = {},
                        .target_address = Ipv4Of(question.address)};
    arp.Write(to.subspan(header));
    frame.resize(Pad(to, header + wire::kArpBytes));
    return frame;
  }
  const wire::Ipv6Address group = wire::SolicitedNode(question.address);
  const size_t header = wire::WriteEthernet(to, wire::MulticastMac(group), question.source_mac,
                                            question.vlan, wire::kEtherTypeIpv6);
  const wire::NeighbourMessage message{.source = question.source_address,
                                       .destination = group,
                                       .type = wire::kNeighbourSolicitation,
                                       .solicited = false,
                                       .target = question.address,
                                       .link_address = question.source_mac};
  message.Write(to.subspan(header));
  frame.resize(header + wire::kNeighbourPacketBytes);
  return frame;
}

}  // namespace tester
