// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "receiver/header_structure.h"

#include <algorithm>

#include "wire/ethernet.h"

namespace tester {
using wire::Bytes;
using wire::Header;
using wire::HeaderKind;

BitRange BitsOf(const Bytes& bytes) { return {.begin = bytes.begin * 8, .end = bytes.end() * 8}; }

void SetBits(std::vector<uint8_t>& mask, const BitRange& bits, bool to) {
  for (size_t bit = bits.begin; bit < std::min(bits.end, mask.size() * 8); ++bit) {
    const auto one = static_cast<uint8_t>(0x80U >> bit % 8);
    uint8_t& byte = mask[bit / 8];
    byte = static_cast<uint8_t>(to ? byte | one : byte & ~one);
  }
}

std::vector<BitRange> Structure(const Header& header, bool carries_more) {
  const size_t first = header.at.begin * 8;
  const auto bits = [&](size_t begin, size_t end) {
    return BitRange{.begin = first + begin, .end = first + end};
  };
  switch (header.kind) {
    case HeaderKind::kEthernet: {
      std::vector<BitRange> types;
      for (size_t at = wire::kMacsBytes; at < header.at.size; at += wire::kVlanTagBytes) {
        types.push_back(bits(at * 8, at * 8 + 16));
      }
      return types;
    }
    case HeaderKind::kMpls:
      return {bits(23, 24)};
    case HeaderKind::kIpv4:  // without the flag that forbids fragments
      return {bits(0, 8), bits(16, 32), bits(50, 64), bits(72, 80)};
    case HeaderKind::kIpv6:
      return {bits(0, 4), bits(32, 56)};
    case HeaderKind::kUdp:
      if (carries_more) return {bits(16, 48)};
      return {bits(32, 48)};
    case HeaderKind::kTcp:
      return {bits(96, 100)};
    case HeaderKind::kIcmp:
      return {};
    case HeaderKind::kIpv6Extension:
      return {BitsOf(header.at)};
    case HeaderKind::kTunnel:
      return {bits(0, 32)};  // flags and type of GRE, flags of VXLAN
  }
  return {};
}

std::vector<BitRange> Structure(const wire::HeaderWalk& walk) {
  std::vector<BitRange> all;
  for (size_t i = 0; i < walk.headers().size(); ++i) {
    const std::vector<BitRange> bits = Structure(walk.headers()[i], i + 1 < walk.headers().size());
    all.insert(all.end(), bits.begin(), bits.end());
  }
  return all;
}

}  // namespace tester
