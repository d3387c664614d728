// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "wire/icrc.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace tester::wire {
namespace {

std::vector<uint8_t> FromHex(std::string_view hex) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

struct Golden {
  std::string_view packet;  // from its IP header to its CRC
  size_t transport;
};

// Made by Scapy 2.7 (scapy.contrib.roce).
const std::vector<Golden> kGolden = {
    // SEND only of three bytes, with one of padding.
    {.packet =
         "45020030000040004011ae8bc6120002c6120009c00012b7001c85da0410ffff0000001180abcdef616263"
         "004a57b97d",
     .transport = 20},
    // NAK of a sequence error; marked, and with BECN.
    {.packet =
         "456b0030000100000311a34f0a0000010a000002cafe12b7001c00001100ffff400000fe000003ec600000"
         "0795a3037a",
     .transport = 20},
    // CNP.
    {.packet =
         "4500003c00010000401166ae0a0000010a000002cafe12b7002809bc8100ffff400000ea0000000000000000"
         "000000000000000000000000958dacb1",
     .transport = 20},
    // WRITE first over IPv6, with 48 bytes behind BTH.
    {.packet =
         "603123450048110920010db800000000000000000000000120010db8000000000000000000000002c00012b7"
         "00483c290600ffff0000001100000001000102030405060708090a0b0c0d0e0f101112131415161718191a1b"
         "1c1d1e1f202122232425262728292a2b2c2d2e2f0d37577d",
     .transport = 40},
};

TEST(Crc32, KnownAnswers) {
  EXPECT_EQ(Crc32(BytesOf("123456789")), 0xcbf43926U);
  EXPECT_EQ(Crc32({}), 0U);
  EXPECT_EQ(Crc32(BytesOf("The quick brown fox jumps over the lazy dog")), 0x414fa339U);
}

TEST(Icrc, AsScapyHasIt) {
  for (const Golden& golden : kGolden) {
    std::vector<uint8_t> packet = FromHex(golden.packet);
    const std::vector<uint8_t> whole = packet;
    const size_t end = packet.size() - kIcrcBytes;
    EXPECT_TRUE(HasRightIcrc(packet.data(), 0, golden.transport, end));
    std::fill(packet.begin() + static_cast<ptrdiff_t>(end), packet.end(), uint8_t{0});
    SetIcrc(packet.data(), 0, golden.transport, end);
    EXPECT_EQ(packet, whole);
  }
}

// Each bit of an IPv4 packet changes the CRC, except those that a router may change.
TEST(Icrc, CoversAllButWhatRoutersChange) {
  const std::vector<uint8_t> whole = FromHex(kGolden[0].packet);
  const size_t end = whole.size() - kIcrcBytes;
  for (size_t byte = 0; byte < end; ++byte) {
    const bool is_free = byte == 1 || byte == 8 || byte == 10 || byte == 11 || byte == 26 ||
                         byte == 27 || byte == 32;
    if (byte == 0) continue;  // the version says where the others are
    std::vector<uint8_t> changed = whole;
    changed[byte] ^= 0x10;
    EXPECT_EQ(HasRightIcrc(changed.data(), 0, 20, end), is_free) << byte;
  }
}

}  // namespace
}  // namespace tester::wire
