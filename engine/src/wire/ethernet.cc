// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "wire/ethernet.h"

namespace tester::wire {

std::optional<Ethernet> Ethernet::Parse(Frame frame) {
  if (frame.size() < kMacHeaderBytes) return std::nullopt;
  Ethernet view{.destination = LoadMac(frame.data()),
                .source = LoadMac(frame.data() + 6),
                .type = Load16(frame.data() + 12),
                .header_bytes = kMacHeaderBytes};
  for (size_t tags = 0; view.type == kEtherTypeVlan || view.type == kEtherTypeQinq; ++tags) {
    if (tags == kMaxVlanTags || frame.size() < view.header_bytes + kVlanTagBytes) {
      return std::nullopt;
    }
    view.header_bytes += kVlanTagBytes;
    view.type = Load16(frame.data() + view.header_bytes - 2);
  }
  return view;
}

size_t WriteEthernet(MutableFrame to, const Mac& destination, const Mac& source, uint16_t vlan,
                     uint16_t type) {
  StoreMac(to.data(), destination);
  StoreMac(to.data() + 6, source);
  size_t at = 12;
  if (vlan != 0) {
    Store16(to.data() + at, kEtherTypeVlan);
    Store16(to.data() + at + 2, vlan);
    at += kVlanTagBytes;
  }
  Store16(to.data() + at, type);
  return at + 2;
}

}  // namespace tester::wire
