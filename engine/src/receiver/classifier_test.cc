// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "receiver/classifier.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "wire/ethernet.h"

namespace tester {
namespace {

constexpr uint16_t kId = 7;
constexpr uint16_t kSum = 0x1234;
constexpr uint16_t kPort = 1;
constexpr uint64_t kStartNs = 5000;

using Bytes = std::array<uint8_t, wire::kSignatureBytes>;

Bytes Sign(uint16_t id, uint16_t sum, uint64_t sequence, uint64_t at_ns) {
  Bytes bytes{};
  wire::SignatureWriter(id, sum, at_ns).Write(bytes.data(), sequence);
  return bytes;
}

class ClassifierTest : public testing::Test {
 protected:
  ClassifierTest() {
    classifier.Add(
        kId, {.counters = &rx, .signature_sum = kSum, .rx_port = kPort, .start_ns = kStartNs});
  }

  bool Receive(uint64_t sequence, uint64_t sent_ns, uint64_t now_ns, uint16_t port = kPort) {
    const Bytes bytes = Sign(kId, kSum, sequence, sent_ns);
    const Expected* stream = classifier.Find(bytes.data());
    return stream != nullptr &&
           CountReceived(*stream, wire::Signature::Read(bytes.data()), port, 60, now_ns);
  }

  StreamRx rx;
  Classifier classifier;
};

TEST_F(ClassifierTest, FindsTheStream) {
  EXPECT_NE(classifier.Find(Sign(kId, kSum, 0, 0).data()), nullptr);
}

TEST_F(ClassifierTest, WhatIsNotOursIsForeign) {
  EXPECT_EQ(classifier.Find(Sign(kId, kSum + 1, 0, 0).data()), nullptr) << "of another job";
  EXPECT_EQ(classifier.Find(Sign(kId - 1, kSum, 0, 0).data()), nullptr) << "id not loaded";
  EXPECT_EQ(classifier.Find(Sign(0xffff, kSum, 0, 0).data()), nullptr) << "id beyond the table";
  EXPECT_EQ(Classifier().Find(Sign(0, kSum, 0, 0).data()), nullptr) << "nothing loaded";
}

TEST_F(ClassifierTest, CountsPacketsBytesAndTimes) {
  EXPECT_TRUE(Receive(0, 6000, 6100));
  EXPECT_TRUE(Receive(1, 7000, 7300));
  EXPECT_EQ(rx.packets.Get(), 2U);
  EXPECT_EQ(rx.bytes.Get(), 128U) << "with FCS";
  EXPECT_EQ(rx.first_ns.Get(), 6100U);
  EXPECT_EQ(rx.last_ns.Get(), 7300U);
  EXPECT_EQ(rx.latency.sum(), 400U);
  EXPECT_EQ(rx.latency.min(), 100U);
  EXPECT_EQ(rx.latency.max(), 300U);
}

// RFC 4737: a packet is reordered when its number is below one seen before; a repeated one is not.
TEST_F(ClassifierTest, CountsWhatIsOutOfOrder) {
  for (const uint64_t sequence : {0U, 1U, 5U, 3U, 4U, 5U, 6U, 2U}) Receive(sequence, 6000, 6100);
  EXPECT_EQ(rx.out_of_order.Get(), 3U) << "3, 4 and 2";
  EXPECT_EQ(rx.packets.Get(), 8U);
}

TEST_F(ClassifierTest, AnotherPortIsMisroutedAndNothingElse) {
  EXPECT_TRUE(Receive(0, 6000, 6100, kPort + 1));
  EXPECT_EQ(rx.misrouted.Get(), 1U);
  EXPECT_EQ(rx.packets.Get(), 0U);
  EXPECT_EQ(rx.latency.sum(), 0U);
}

TEST_F(ClassifierTest, AFrameOfAnEarlierStartIsNotCounted) {
  EXPECT_FALSE(Receive(0, kStartNs - 1, 6100));
  EXPECT_TRUE(Receive(0, kStartNs, 6100));
  EXPECT_EQ(rx.packets.Get(), 1U);
}

TEST_F(ClassifierTest, TimesMayWrapAround) {
  StreamRx late;
  Classifier wrapping;
  const uint64_t start_ns = wire::kMask48 - 100;
  wrapping.Add(kId,
               {.counters = &late, .signature_sum = kSum, .rx_port = kPort, .start_ns = start_ns});
  const uint64_t sent_ns = start_ns + 200;  // beyond 2^48
  const Bytes bytes = Sign(kId, kSum, 0, sent_ns);
  const Expected* stream = wrapping.Find(bytes.data());
  ASSERT_NE(stream, nullptr);
  EXPECT_TRUE(CountReceived(*stream, wire::Signature::Read(bytes.data()), kPort, 60, sent_ns + 50));
  EXPECT_EQ(late.latency.max(), 50U);
}

TEST(SignatureBeforePadding, IsAtTheEndOfTheIpPacket) {
  std::vector<uint8_t> frame(60);
  wire::WriteEthernet(frame, {}, {}, 0, wire::kEtherTypeIpv4);
  frame[14] = 0x45;
  frame[17] = 40;  // 6 bytes of padding
  EXPECT_EQ(SignatureBeforePadding(frame), frame.data() + 14 + 40 - 16);
  frame[17] = 46;
  EXPECT_EQ(SignatureBeforePadding(frame), nullptr) << "no padding";
  frame[14] = 0;
  EXPECT_EQ(SignatureBeforePadding(frame), nullptr) << "not IP";
}

}  // namespace
}  // namespace tester
