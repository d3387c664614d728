// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/stations.h"

#include "base/mix.h"
#include "inline/segment.h"
#include "wire/arp.h"
#include "wire/ethernet.h"

namespace tester {
namespace {

constexpr size_t kMacBytes = 6;

uint64_t MacAt(const uint8_t* at) {
  const uint64_t mac = uint64_t{wire::Load16(at)} << 32 | wire::Load<uint32_t>(at + 2);
  const bool is_group = (mac >> 40 & 1) != 0;
  return is_group ? 0 : mac;
}

// 0 of a multicast group and of the limited broadcast, which no station sends from.
uint32_t Ipv4At(const uint8_t* at) {
  const auto address = wire::Load<uint32_t>(at);
  return address >> 28 >= 14 ? 0 : address;
}

}  // namespace

Stations::Address Stations::AddressOf(Frame frame, End end) const {
  if (frame.size() < wire::kMacHeaderBytes) return {};
  const bool sender = end == End::kSender;
  if (!known_by_ip_) return {0, MacAt(frame.data() + (sender ? kMacBytes : 0))};
  const Segment segment = Segment::Of(frame);
  const uint8_t* const ip = frame.data() + segment.network;
  if (segment.ip_version == 4) return {0, Ipv4At(ip + (sender ? 12 : 16))};
  if (segment.ip_version == 6) {
    const uint8_t* const address = ip + (sender ? 8 : 24);
    if (address[0] == 0xff) return {};
    return {wire::Load64(address), wire::Load64(address + 8)};
  }
  if (segment.ether_type != wire::kEtherTypeArp) return {};
  if (frame.size() < segment.link_end + wire::kArpBytes) return {};
  return {0, Ipv4At(frame.data() + segment.link_end + (sender ? 14 : 24))};
}

Stations::Slot& Stations::SlotOf(const Address& address) {
  return slots_.Find(Mix(Mix(kMixBegin, address.upper), address.lower),
                     [&address](const Slot& slot) { return slot.address == address; });
}

void Stations::Learn(Frame frame, size_t port) {
  const Address address = AddressOf(frame, End::kSender);
  if (address == Address{}) return;
  Slot& slot = SlotOf(address);
  if (slot.IsFree()) {
    if (known_ == kMost) return;
    ++known_;
  }
  slot = {address, port};
}

size_t Stations::PortFor(Frame frame) {
  const Address address = AddressOf(frame, End::kReceiver);
  return address == Address{} ? kEverywhere : SlotOf(address).port;
}

}  // namespace tester
