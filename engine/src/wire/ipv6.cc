// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "wire/ipv6.h"

#include <algorithm>

#include "wire/checksum.h"

namespace tester::wire {

std::optional<Ipv6> Ipv6::Parse(Frame packet, size_t bytes) {
  if (packet.size() < kIpv6HeaderBytes || packet[0] >> 4 != 6) return std::nullopt;
  Ipv6 view{};
  view.payload_bytes = Load16(packet.data() + 4);
  if (view.payload_bytes > bytes - kIpv6HeaderBytes) return std::nullopt;
  view.next_header = packet[6];
  view.hop_limit = packet[7];
  std::copy_n(packet.data() + 8, 16, view.source.begin());
  std::copy_n(packet.data() + 24, 16, view.destination.begin());
  return view;
}

void Ipv6::Write(MutableFrame to) const {
  Store(to.data(), uint32_t{0x60000000});
  Store16(to.data() + 4, static_cast<uint16_t>(payload_bytes));
  to[6] = next_header;
  to[7] = hop_limit;
  std::copy(source.begin(), source.end(), to.data() + 8);
  std::copy(destination.begin(), destination.end(), to.data() + 24);
}

uint64_t Ipv6::PseudoSum() const {
  return Sum(source) + Sum(destination) + payload_bytes + next_header;
}

Ipv6Address SolicitedNode(const Ipv6Address& address) {
  return {0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, address[13], address[14], address[15]};
}

Mac MulticastMac(const Ipv6Address& group) {
  return {0x33, 0x33, group[12], group[13], group[14], group[15]};
}

}  // namespace tester::wire
