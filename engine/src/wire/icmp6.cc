// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "wire/icmp6.h"

#include <algorithm>

#include "wire/checksum.h"

namespace tester::wire {
namespace {

constexpr uint8_t kHopLimit = 255;  // proves that no router forwarded it
constexpr size_t kMessageBytes = 24;
constexpr size_t kOptionUnit = 8;
constexpr uint8_t kSourceLinkAddress = 1;
constexpr uint8_t kTargetLinkAddress = 2;
constexpr uint8_t kFlagSolicited = 0x40;
constexpr uint8_t kFlagOverride = 0x20;

uint8_t LinkOptionOf(uint8_t type) {
  return type == kNeighbourSolicitation ? kSourceLinkAddress : kTargetLinkAddress;
}

// False for an option without length.
bool ParseOptions(Frame options, uint8_t wanted, std::optional<Mac>& found) {
  while (options.size() >= kOptionUnit) {
    const size_t bytes = options[1] * kOptionUnit;
    if (bytes == 0 || bytes > options.size()) return false;
    if (options[0] == wanted) found = LoadMac(options.data() + 2);
    options = options.subspan(bytes);
  }
  return true;
}

}  // namespace

std::optional<NeighbourMessage> NeighbourMessage::Parse(Frame packet) {
  const auto ip = Ipv6::Parse(packet);
  if (!ip || ip->next_header != kNextHeaderIcmp6 || ip->hop_limit != kHopLimit) {
    return std::nullopt;
  }
  const Frame body = packet.subspan(kIpv6HeaderBytes, ip->payload_bytes);
  if (body.size() < kMessageBytes || body[1] != 0) return std::nullopt;
  if (body[0] != kNeighbourSolicitation && body[0] != kNeighbourAdvertisement) {
    return std::nullopt;
  }
  if (Checksum(body, ip->PseudoSum()) != 0) return std::nullopt;
  NeighbourMessage message{.source = ip->source,
                           .destination = ip->destination,
                           .type = body[0],
                           .solicited = (body[4] & kFlagSolicited) != 0,
                           .target = {},
                           .link_address = {}};
  std::copy_n(body.data() + 8, 16, message.target.begin());
  if (message.target[0] == 0xff) return std::nullopt;
  if (!ParseOptions(body.subspan(kMessageBytes), LinkOptionOf(message.type),
                    message.link_address)) {
    return std::nullopt;
  }
  return message;
}

void NeighbourMessage::Write(MutableFrame to) const {
  const Ipv6 ip{.payload_bytes = kNeighbourPacketBytes - kIpv6HeaderBytes,
                .next_header = kNextHeaderIcmp6,
                .hop_limit = kHopLimit,
                .source = source,
                .destination = destination};
  ip.Write(to);
  const MutableFrame body = to.subspan(kIpv6HeaderBytes, ip.payload_bytes);
  std::fill(body.begin(), body.end(), uint8_t{0});
  body[0] = type;
  if (type == kNeighbourAdvertisement) {
    body[4] = static_cast<uint8_t>(kFlagOverride | (solicited ? kFlagSolicited : 0));
  }
  std::copy(target.begin(), target.end(), body.data() + 8);
  body[kMessageBytes] = LinkOptionOf(type);
  body[kMessageBytes + 1] = 1;
  StoreMac(body.data() + kMessageBytes + 2, link_address.value_or(Mac{}));
  Store16(body.data() + 2, Checksum(body, ip.PseudoSum()));
}

}  // namespace tester::wire
