// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "receiver/foreign.h"

#include <gtest/gtest.h>

#include <vector>

#include "receiver/retired.h"
#include "wire/checksum.h"
#include "wire/ethernet.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"

namespace tester {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kChecksumOfUdp = 34 + 6;

void SumIpv4(Bytes& frame) {
  wire::Store16(frame.data() + 24, 0);
  wire::Store16(frame.data() + 24, wire::Checksum(Frame(frame).subspan(14, 20)));
}

// With right checksums; `sum_at`: the offset of the checksum in the body.
Bytes Ipv4Frame(uint8_t protocol, Bytes body, size_t sum_at) {
  Bytes frame(34);
  wire::WriteEthernet(frame, {}, {}, 0, wire::kEtherTypeIpv4);
  frame[14] = 0x45;
  wire::Store16(frame.data() + 16, static_cast<uint16_t>(20 + body.size()));
  frame[23] = protocol;
  frame[29] = 1;
  frame[33] = 2;
  SumIpv4(frame);
  const uint64_t pseudo = protocol == wire::kProtocolIcmp
                              ? 0
                              : wire::Sum(Frame(frame).subspan(26, 8)) + protocol + body.size();
  wire::Store16(body.data() + sum_at, 0);
  wire::Store16(body.data() + sum_at, wire::Checksum(body, pseudo));
  frame.insert(frame.end(), body.begin(), body.end());
  return frame;
}

Bytes UdpFrame() { return Ipv4Frame(wire::kProtocolUdp, {0, 1, 0, 2, 0, 11, 0, 0, 7, 8, 9}, 6); }

Bytes Ipv6Frame(uint8_t protocol, Bytes body, size_t sum_at) {
  Bytes frame(54);
  wire::WriteEthernet(frame, {}, {}, 0, wire::kEtherTypeIpv6);
  frame[14] = 0x60;
  wire::Store16(frame.data() + 18, static_cast<uint16_t>(body.size()));
  frame[20] = protocol;
  frame[37] = 1;
  const uint64_t pseudo = wire::Sum(Frame(frame).subspan(22, 32)) + protocol + body.size();
  wire::Store16(body.data() + sum_at, 0);
  wire::Store16(body.data() + sum_at, wire::Checksum(body, pseudo));
  frame.insert(frame.end(), body.begin(), body.end());
  return frame;
}

Bytes Changed(Bytes frame, size_t at, uint8_t by = 1) {
  frame[at] ^= by;
  return frame;
}

TEST(IsMalformed, NotWhatIsSound) {
  Bytes padded = UdpFrame();
  padded.resize(60);
  Bytes tagged = UdpFrame();
  const Bytes tag = {0x81, 0, 0, 5};
  tagged.insert(tagged.begin() + 12, tag.begin(), tag.end());
  Bytes no_checksum = UdpFrame();
  wire::Store16(no_checksum.data() + kChecksumOfUdp, 0);
  Bytes tcp(20);
  tcp[12] = 0x50;
  const Bytes arp(42, 6);
  for (const Bytes& frame :
       {UdpFrame(), padded, tagged, no_checksum, Ipv4Frame(wire::kProtocolTcp, tcp, 16),
        Ipv4Frame(wire::kProtocolIcmp, Bytes(9, 8), 2), Ipv4Frame(89, Bytes(20), 0),
        Ipv6Frame(wire::kProtocolUdp, {0, 1, 0, 2, 0, 8, 0, 0}, 6),
        Ipv6Frame(wire::kNextHeaderIcmp6, Bytes(8, 1), 2), arp}) {
    EXPECT_FALSE(IsMalformed(frame));
  }
}

TEST(IsMalformed, WrongChecksumsAndLengths) {
  Bytes longer = Changed(UdpFrame(), 17, 0x40);  // more than the frame has
  SumIpv4(longer);
  Bytes no_checksum = Ipv6Frame(wire::kProtocolUdp, {0, 1, 0, 2, 0, 8, 0, 0}, 6);
  wire::Store16(no_checksum.data() + 60, 0);
  // Linux leaves the rest to hardware: this is the sum of the pseudo header alone.
  Bytes partial = UdpFrame();
  wire::Store16(partial.data() + kChecksumOfUdp,
                wire::Fold(wire::Sum(Frame(partial).subspan(26, 8)) + 17 + 11));
  for (const Bytes& frame :
       {Changed(UdpFrame(), 44), Changed(UdpFrame(), 22), Changed(UdpFrame(), 14, 0x20), longer,
        Changed(UdpFrame(), 39, 0x80), no_checksum, partial,
        Ipv4Frame(wire::kProtocolTcp, Bytes(19), 16), Ipv4Frame(wire::kProtocolIcmp, Bytes(7), 2),
        Changed(Ipv4Frame(wire::kProtocolIcmp, Bytes(9), 2), 42),
        Changed(Ipv6Frame(wire::kNextHeaderIcmp6, Bytes(8, 1), 2), 60), Bytes(13)}) {
    EXPECT_TRUE(IsMalformed(frame));
  }
}

TEST(CountForeign, TellsOneFromTheOther) {
  PortCounters port;
  const auto count = [&](const Bytes& frame) { CountForeign(frame, frame.size(), port); };
  count(UdpFrame());
  count(Changed(UdpFrame(), 44));
  Bytes piece = UdpFrame();
  wire::Store16(piece.data() + 20, 100);
  SumIpv4(piece);
  count(piece);
  const auto icmp = [](uint8_t type, uint8_t code) {
    return Ipv4Frame(wire::kProtocolIcmp, {type, code, 0, 0, 0, 0, 0, 0, 1, 2}, 2);
  };
  count(icmp(3, 4));
  count(icmp(3, 4));
  count(icmp(3, 200));
  count(icmp(11, 0));
  count(icmp(0, 0));  // an echo reply
  count(Ipv6Frame(wire::kNextHeaderIcmp6, {2, 0, 0, 0, 0, 0, 5, 0}, 2));
  count(Ipv6Frame(wire::kNextHeaderIcmp6, {100, 9, 0, 0, 0, 0, 5, 0}, 2));
  EXPECT_EQ(port.rx_malformed.Get(), 1U);
  EXPECT_EQ(port.rx_fragments.Get(), 1U);
  EXPECT_EQ(port.rx_icmp_errors.total(), 6U);
  std::vector<std::pair<wire::IcmpError, uint64_t>> seen;
  port.rx_icmp_errors.ForEach(
      [&](const wire::IcmpError& error, uint64_t frames) { seen.emplace_back(error, frames); });
  const std::vector<std::pair<wire::IcmpError, uint64_t>> due = {
      {{4, 3, 4}, 2}, {{4, 3, 15}, 1}, {{4, 11, 0}, 1}, {{6, 2, 0}, 1}, {{6, 0, 0}, 1}};
  EXPECT_EQ(seen, due);
}

TEST(CountForeign, OfTheBeginOfAFrameChecksumsAreNotLookedAt) {
  PortCounters port;
  CountForeign(Changed(UdpFrame(), 44), 9000, port);
  EXPECT_EQ(port.rx_malformed.Get(), 0U);
}

TEST(Retired, KnowsSignaturesOfThePast) {
  std::array<uint8_t, wire::kSignatureBytes> signature{};
  wire::SignatureWriter(7, 0x1234, 500).Write(signature.data(), 3);
  const std::vector<Retired::Stream> streams = {{.id = 7, .signature_sum = 0x1234}};
  const std::vector<Retired::Stream> others = {{.id = 7, .signature_sum = 0x1235},
                                               {.id = 8, .signature_sum = 0x1234}};
  const auto retired = Retired::With(nullptr, streams);
  EXPECT_TRUE(retired->Has(signature.data(), 600));
  EXPECT_FALSE(retired->Has(signature.data(), 400)) << "of a time to come";
  EXPECT_FALSE(Retired::With(nullptr, others)->Has(signature.data(), 600));
  EXPECT_TRUE(Retired::With(retired.get(), others)->Has(signature.data(), 600));
  const std::vector<Retired::Stream> many(Retired::kMost, others[0]);
  EXPECT_FALSE(Retired::With(retired.get(), many)->Has(signature.data(), 600)) << "forgotten";
}

}  // namespace
}  // namespace tester
