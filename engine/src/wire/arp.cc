// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "wire/arp.h"

#include <algorithm>

#include "wire/ethernet.h"

namespace tester::wire {
namespace {

constexpr uint16_t kHardwareEthernet = 1;
constexpr uint16_t kAddressLengths = 0x0604;  // MAC 6, IPv4 4

}  // namespace

std::optional<Arp> Arp::Parse(Frame packet) {
  const uint8_t* at = packet.data();
  if (packet.size() < kArpBytes || Load16(at) != kHardwareEthernet ||
      Load16(at + 2) != kEtherTypeIpv4 || Load16(at + 4) != kAddressLengths) {
    return std::nullopt;
  }
  Arp arp{};
  arp.operation = Load16(at + 6);
  arp.sender_mac = LoadMac(at + 8);
  std::copy_n(at + 14, 4, arp.sender_address.begin());
  arp.target_mac = LoadMac(at + 18);
  std::copy_n(at + 24, 4, arp.target_address.begin());
  return arp;
}

void Arp::Write(MutableFrame to) const {
  uint8_t* at = to.data();
  Store16(at, kHardwareEthernet);
  Store16(at + 2, kEtherTypeIpv4);
  Store16(at + 4, kAddressLengths);
  Store16(at + 6, operation);
  StoreMac(at + 8, sender_mac);
  std::copy(sender_address.begin(), sender_address.end(), at + 14);
  StoreMac(at + 18, target_mac);
  std::copy(target_address.begin(), target_address.end(), at + 24);
}

}  // namespace tester::wire
