// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "wire/ipv4.h"

namespace tester::wire {

std::optional<Ipv4> Ipv4::Parse(Frame packet, size_t bytes) {
  if (packet.size() < kIpv4HeaderBytes || packet[0] >> 4 != 4) return std::nullopt;
  const Ipv4 view{.header_bytes = static_cast<size_t>(packet[0] & 15) * 4,
                  .total_bytes = Load16(packet.data() + 2),
                  .protocol = packet[9],
                  .fragment = (Load16(packet.data() + 6) & 0x3fff) != 0,
                  .later_fragment = (Load16(packet.data() + 6) & 0x1fff) != 0};
  if (view.header_bytes < kIpv4HeaderBytes || view.total_bytes < view.header_bytes ||
      view.total_bytes > bytes) {
    return std::nullopt;
  }
  return view;
}

}  // namespace tester::wire
