// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The checksums of a packet, of which some cover others: IPv4, and TCP, UDP or ICMP.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "inline/segment.h"
#include "wire/bytes.h"

namespace tester {

class PacketSums {
 public:
  PacketSums(MutableFrame frame, const Segment& segment);

  // Whether the byte of the frame is one of a checksum.
  bool Has(size_t byte) const;
  // Updates the checksums that cover a changed byte (RFC 1624). A right checksum stays right, a
  // wrong one stays wrong.
  void Follow(size_t byte, uint8_t before);

 private:
  struct Sum {
    size_t at = 0;  // 0: none
    // The covered bytes, which begin with a whole word.
    size_t begin = 0;
    size_t end = 0;
    // Addresses that it covers as well.
    size_t addresses = 0;
    size_t addresses_end = 0;
    bool is_udp = false;
  };

  static Sum NetworkSum(Frame frame, const Segment& segment);
  static Sum TransportSum(Frame frame, const Segment& segment);

  MutableFrame frame_;
  std::array<Sum, 2> sums_;
};

}  // namespace tester
