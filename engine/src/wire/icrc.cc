// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "wire/icrc.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "wire/udp.h"

namespace tester::wire {
namespace {

constexpr size_t kSlices = 8;
using Tables = std::array<std::array<uint32_t, 256>, kSlices>;

// Table k: the contribution of a byte that is followed by k more bytes.
constexpr Tables MakeTables() {
  constexpr uint32_t kPolynomial = 0xedb88320;  // bits reversed
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (size_t slice = 1; slice < kSlices; ++slice) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables[slice - 1][byte];
      tables[slice][byte] = before >> 8 ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

uint32_t Update(uint32_t crc, Frame bytes) {
  static constexpr Tables kTables = MakeTables();
  while (bytes.size() >= kSlices) {
    uint64_t word = 0;
    for (size_t i = 0; i < kSlices; ++i) word |= uint64_t{bytes[i]} << 8 * i;
    word ^= crc;
    crc = 0;
    for (size_t i = 0; i < kSlices; ++i) crc ^= kTables[kSlices - 1 - i][word >> 8 * i & 0xff];
    bytes = bytes.subspan(kSlices);
  }
  for (const uint8_t byte : bytes) crc = crc >> 8 ^ kTables[0][(crc ^ byte) & 0xff];
  return crc;
}

constexpr uint32_t kAllOnes = 0xffffffff;
constexpr size_t kLinkBytes = 8;  // ones in place of InfiniBand's local route header
constexpr size_t kMostMasked = kLinkBytes + 60 + kUdpHeaderBytes + kBthBytes;

// Sets the fields that routers may change to ones.
void MaskNetwork(uint8_t* ip) {
  if (ip[0] >> 4 == 4) {
    ip[1] = ip[8] = 0xff;
    Store16(ip + 10, 0xffff);
    return;
  }
  ip[0] |= 0x0f;
  ip[1] = ip[2] = ip[3] = ip[7] = 0xff;
}

}  // namespace

uint32_t Crc32(Frame bytes) { return ~Update(kAllOnes, bytes); }

uint32_t Icrc(Frame packet, size_t transport) {
  std::array<uint8_t, kMostMasked> masked;
  masked.fill(0xff);
  const size_t headers = std::min(
      {transport + kUdpHeaderBytes + kBthBytes, packet.size(), masked.size() - kLinkBytes});
  std::memcpy(masked.data() + kLinkBytes, packet.data(), headers);
  MaskNetwork(masked.data() + kLinkBytes);
  uint8_t* const udp = masked.data() + kLinkBytes + transport;
  Store16(udp + 6, 0xffff);
  udp[kUdpHeaderBytes + 4] = 0xff;  // FECN, BECN and reserved bits
  const uint32_t crc = Update(kAllOnes, Frame(masked.data(), kLinkBytes + headers));
  return ~Update(crc, packet.subspan(headers));
}

void SetIcrc(uint8_t* frame, size_t network, size_t transport, size_t end) {
  StoreLittle32(frame + end, Icrc({frame + network, end - network}, transport - network));
}

bool HasRightIcrc(const uint8_t* frame, size_t network, size_t transport, size_t end) {
  std::array<uint8_t, kIcrcBytes> expected;
  StoreLittle32(expected.data(), Icrc({frame + network, end - network}, transport - network));
  return std::equal(expected.begin(), expected.end(), frame + end);
}

}  // namespace tester::wire
