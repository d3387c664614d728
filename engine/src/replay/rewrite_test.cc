// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "replay/rewrite.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "wire/checksum.h"

namespace tester {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr Mac kOldMac = {2, 0, 0, 0, 0, 1};
constexpr Mac kNewMac = {2, 0, 0, 0, 0, 99};
constexpr Mac kEvery = {2, 9, 9, 9, 9, 9};
constexpr std::array<uint8_t, 4> kOld4 = {10, 0, 0, 1};
constexpr std::array<uint8_t, 4> kNew4 = {192, 0, 2, 77};
constexpr std::array<uint8_t, 16> kOld6 = {0x20, 1, 0xd, 0xb8, 1};
constexpr std::array<uint8_t, 16> kNew6 = {0x20, 1, 0xd, 0xb8, 0xff, 0xff, 3, 4, 5};

Rewrites All() {
  return {.macs = {{kOldMac, kNewMac}},
          .every_destination = kEvery,
          .ipv4 = {{kOld4, kNew4}},
          .ipv6 = {{kOld6, kNew6}}};
}

Bytes Ethernet(uint16_t type, int tags) {
  Bytes frame(12, 7);
  std::copy(kOldMac.begin(), kOldMac.end(), frame.begin() + 6);
  for (int i = 0; i < tags; ++i) frame.insert(frame.end(), {0x81, 0, 0, 5});
  frame.insert(frame.end(), {static_cast<uint8_t>(type >> 8), static_cast<uint8_t>(type)});
  return frame;
}

// Sets the transport's checksum for these addresses.
void SumTransport(Bytes& frame, size_t ip, size_t transport, size_t offset, uint8_t protocol) {
  const bool ipv6 = frame[ip] >> 4 == 6;
  const size_t addresses = ipv6 ? ip + 8 : ip + 12;
  const size_t length = frame.size() - transport;
  uint64_t sum = wire::Sum({frame.data() + addresses, ipv6 ? 32U : 8U}) + protocol + length;
  wire::Store16(frame.data() + transport + offset, 0);
  sum += wire::Sum({frame.data() + transport, length});
  wire::Store16(frame.data() + transport + offset, static_cast<uint16_t>(~wire::Fold(sum)));
}

Bytes Ipv4Frame(uint8_t protocol, size_t sum_offset, int tags, size_t payload,
                std::mt19937& random) {
  Bytes frame = Ethernet(0x0800, tags);
  const size_t ip = frame.size();
  frame.insert(frame.end(), {0x45, 0, 0, 0, 1, 2, 0x40, 0, 64, protocol, 0, 0});
  frame.insert(frame.end(), kOld4.begin(), kOld4.end());
  frame.insert(frame.end(), {10, 9, 8, 7});
  for (size_t i = 0; i < 20 + payload; ++i) frame.push_back(static_cast<uint8_t>(random()));
  wire::Store16(frame.data() + ip + 2, static_cast<uint16_t>(frame.size() - ip));
  wire::Store16(frame.data() + ip + 10, wire::Checksum({frame.data() + ip, 20}));
  SumTransport(frame, ip, ip + 20, sum_offset, protocol);
  return frame;
}

TEST(Rewrites, ReplaceIpv4AndKeepChecksumsRight) {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    const bool tcp = i % 2 == 0;
    const int tags = i % 3;
    Bytes frame = Ipv4Frame(tcp ? 6 : 17, tcp ? 16 : 6, tags, random() % 50, random);
    All().Apply(frame);
    const auto ip = static_cast<size_t>(14 + 4 * tags);
    EXPECT_TRUE(std::equal(kEvery.begin(), kEvery.end(), frame.begin()));
    EXPECT_TRUE(std::equal(kNewMac.begin(), kNewMac.end(), frame.begin() + 6));
    EXPECT_TRUE(std::equal(kNew4.begin(), kNew4.end(), frame.begin() + static_cast<long>(ip) + 12));
    Bytes right = frame;
    wire::Store16(right.data() + ip + 10, 0);
    wire::Store16(right.data() + ip + 10, wire::Checksum({right.data() + ip, 20}));
    SumTransport(right, ip, ip + 20, tcp ? 16 : 6, tcp ? 6 : 17);
    ASSERT_EQ(frame, right);
  }
}

Bytes Ipv6Frame(uint8_t protocol, size_t sum_offset, bool options) {
  Bytes frame = Ethernet(0x86dd, 0);
  const size_t payload = 30 + (options ? 8 : 0);
  frame.insert(frame.end(), {0x60, 0, 0, 0, 0, static_cast<uint8_t>(payload),
                             options ? uint8_t{60} : protocol, 64});
  frame.insert(frame.end(), kOld6.begin(), kOld6.end());
  frame.insert(frame.end(), 16, 0x33);
  if (options) frame.insert(frame.end(), {protocol, 0, 1, 4, 0, 0, 0, 0});
  frame.insert(frame.end(), 30, 0x5a);
  SumTransport(frame, 14, frame.size() - 30, sum_offset, protocol);
  return frame;
}

TEST(Rewrites, ReplaceIpv6BehindItsOptions) {
  for (const bool options : {false, true}) {
    for (const auto& [protocol, offset] :
         std::vector<std::pair<uint8_t, size_t>>{{6, 16}, {17, 6}, {58, 2}}) {
      Bytes frame = Ipv6Frame(protocol, offset, options);
      All().Apply(frame);
      EXPECT_TRUE(std::equal(kNew6.begin(), kNew6.end(), frame.begin() + 22));
      Bytes right = frame;
      SumTransport(right, 14, right.size() - 30, offset, protocol);
      ASSERT_EQ(frame, right) << int{protocol};
    }
  }
}

TEST(Rewrites, LeaveOtherFragmentsAlone) {
  std::mt19937 random(2);
  Bytes frame = Ipv4Frame(17, 6, 0, 20, random);
  frame[14 + 6] = 0;
  frame[14 + 7] = 5;  // a later fragment: no UDP header follows
  const Bytes before = frame;
  All().Apply(frame);
  EXPECT_TRUE(std::equal(frame.begin() + 34, frame.end(), before.begin() + 34));
}

TEST(Rewrites, MakeNoChecksumWhereThereIsNone) {
  std::mt19937 random(3);
  Bytes frame = Ipv4Frame(17, 6, 0, 20, random);
  frame[34 + 6] = frame[34 + 7] = 0;
  All().Apply(frame);
  EXPECT_EQ(wire::Load16(frame.data() + 34 + 6), 0);
}

TEST(Rewrites, LeaveWhatTheyDoNotName) {
  std::mt19937 random(4);
  Bytes frame = Ipv4Frame(6, 16, 1, 30, random);
  const Bytes before = frame;
  Rewrites{
      .macs = {{kNewMac, kOldMac}}, .every_destination = {}, .ipv4 = {{kNew4, kOld4}}, .ipv6 = {}}
      .Apply(frame);
  EXPECT_EQ(frame, before);
}

// The sanitizer sees a step beyond the end.
TEST(Rewrites, StayInShortFrames) {
  std::mt19937 random(5);
  for (const Bytes& whole : {Ipv4Frame(6, 16, 2, 0, random), Ipv6Frame(17, 6, true)}) {
    for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
      Bytes frame(whole.begin(), whole.begin() + static_cast<long>(bytes));
      All().Apply(frame);
      EXPECT_EQ(frame.size(), bytes);
    }
  }
}

}  // namespace
}  // namespace tester
