// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "receiver/classifier.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "base/burst.h"
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
    tx.packets.Set(1'000'000);
    Expect({});
  }

  // Fields that are not given here get the usual values.
  void Expect(Expected expected) {
    expected.counters = &rx;
    expected.sent = &tx;
    expected.start_ns = kStartNs;
    expected.base_ns = kStartNs;
    expected.signature_sum = kSum;
    expected.rx_port = kPort;
    classifier.Add(kId, expected);
  }

  bool Receive(uint64_t sequence, uint64_t sent_ns, uint64_t now_ns, uint16_t port = kPort) {
    std::vector<uint8_t> frame = head;
    frame.resize(60);
    wire::SignatureWriter(kId, kSum, sent_ns).Write(frame.data() + 44, sequence);
    const Expected* stream = classifier.Find(frame.data() + 44);
    last = stream == nullptr ? Signed::kForeign
                             : CountSigned(*stream, frame.data() + 44,
                                           {.frame = frame,
                                            .bytes = 60,
                                            .end = 60,
                                            .port = port,
                                            .now_ns = now_ns,
                                            .counters = &port_counters});
    return last >= Signed::kBad;
  }

  Signed last{};              // what the last one was
  std::vector<uint8_t> head;  // of the frames that are received
  StreamTx tx;
  StreamRx rx;
  PortCounters port_counters;
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

TEST_F(ClassifierTest, FramesThatSeemToArriveBeforeTheyAreSentAreCounted) {
  EXPECT_TRUE(Receive(0, 7000, 7000));
  EXPECT_EQ(rx.before_sent.Get(), 0U) << "an age of 0 is one";
  EXPECT_TRUE(Receive(1, 7300, 7200));
  EXPECT_TRUE(Receive(2, 7300, 7400));
  EXPECT_TRUE(Receive(3, 7600, 7500, kPort + 1));
  EXPECT_EQ(rx.before_sent.Get(), 1U) << "misrouted frames have no delay that counts";
  EXPECT_EQ(rx.latency.min(), 0U);
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
  EXPECT_EQ(rx.order.overtaken(), 3U) << "3, 4 and 2";
  EXPECT_EQ(rx.packets.Get(), 8U);
}

TEST_F(ClassifierTest, AnotherPortIsMisroutedAndNothingElse) {
  EXPECT_TRUE(Receive(0, 6000, 6100, kPort + 1));
  EXPECT_EQ(rx.misrouted.On(kPort + 1), 1U);
  EXPECT_EQ(rx.misrouted.On(kPort), 0U);
  EXPECT_EQ(port_counters.rx_misrouted.Get(), 1U);
  EXPECT_EQ(rx.packets.Get(), 0U);
  EXPECT_EQ(rx.latency.sum(), 0U);
}

// Copies at a port of a broadcast may stand for frames that are missing there.
TEST_F(ClassifierTest, FramesAtAnotherPortThatComeAgainOrLateAreBehind) {
  for (const uint64_t sequence : {0U, 0U, 2U, 1U, 3U, 3U}) Receive(sequence, 6000, 6100, kPort + 1);
  Receive(0, 6000, 6100, kPort + 2);
  EXPECT_EQ(rx.misrouted.On(kPort + 1), 6U);
  EXPECT_EQ(rx.misrouted.BehindOn(kPort + 1), 3U) << "0 and 3 again, and 1";
  EXPECT_EQ(rx.misrouted.BehindOn(kPort + 2), 0U) << "each port has its own order";
}

TEST_F(ClassifierTest, DamagedFramesAtAnotherPortAreNotAmongTheWholeOnes) {
  const std::vector<std::vector<uint8_t>> frames{std::vector<uint8_t>(60, 7)};
  const Integrity integrity({.frames = frames, .order = {}, .payload_offset = 42});
  Expect({.integrity = &integrity});
  head.assign(44, 7);
  EXPECT_TRUE(Receive(0, 6000, 6100, kPort + 1));
  head[43] ^= 0x10;
  EXPECT_TRUE(Receive(1, 6000, 6100, kPort + 1));
  head[43] ^= 0x10;
  EXPECT_TRUE(Receive(1, 6000, 6100, kPort + 1));
  EXPECT_EQ(rx.misrouted.On(kPort + 1), 3U);
  EXPECT_EQ(rx.misrouted.DamagedOn(kPort + 1), 1U);
  EXPECT_EQ(rx.misrouted.BehindOn(kPort + 1), 0U);
  EXPECT_EQ(rx.corrupted.Get(), 0U) << "which is of the port where they are expected";
}

TEST_F(ClassifierTest, AFrameOfAnEarlierStartIsNotCounted) {
  EXPECT_FALSE(Receive(0, kStartNs - 1, 6100));
  EXPECT_TRUE(Receive(0, kStartNs, 6100));
  EXPECT_EQ(rx.packets.Get(), 1U);
}

TEST_F(ClassifierTest, TimesMayWrapAround) {
  // Three days and more: longer than the 48 bits of a timestamp.
  for (const uint64_t now_ns : {wire::kMask48 - 100, wire::kMask48 + 100, 3 * wire::kMask48}) {
    EXPECT_TRUE(Receive(rx.order.next(), now_ns - 50, now_ns));
  }
  EXPECT_EQ(rx.latency.max(), 50U);
  EXPECT_EQ(rx.latency.sum(), 150U);
}

TEST_F(ClassifierTest, ClocksOfCpusMayDifferALittle) {
  EXPECT_TRUE(Receive(0, 6010, 6000));
  EXPECT_EQ(rx.latency.max(), 0U);
  EXPECT_FALSE(Receive(1, 6000 + 2'000'000, 6000)) << "of a time to come";
}

TEST_F(ClassifierTest, AFrameThatWasNeverSentIsForged) {
  tx.packets.Set(10);
  EXPECT_TRUE(Receive(0, 6000, 6100));
  EXPECT_FALSE(Receive(10 + kBurst, 6000, 6100));
  EXPECT_FALSE(Receive(wire::kMask48, 6000, 6100));
  EXPECT_TRUE(Receive(9, 6000, 6100));
  EXPECT_EQ(rx.packets.Get(), 2U);
  EXPECT_EQ(rx.order.next(), 10U);
}

TEST_F(ClassifierTest, AnOutageLiesBetweenArrivals) {
  EXPECT_TRUE(Receive(3, 6000, 6100));
  EXPECT_EQ(rx.outages.longest_ns.Get(), 0U) << "nothing arrived before";
  EXPECT_TRUE(Receive(4, 6000, 9000));
  EXPECT_EQ(rx.outages.longest_ns.Get(), 0U) << "nothing was lost";
  EXPECT_TRUE(Receive(8, 6000, 9500));
  EXPECT_EQ(rx.outages.longest_ns.Get(), 500U);
  EXPECT_EQ(rx.outages.longest_start_ns.Get(), 9000U);
  EXPECT_EQ(rx.outages.longest_lost.Get(), 3U);
  EXPECT_EQ(rx.outages.last_sequence.Get(), 8U) << "frame 7 is the last one that is missing";
  EXPECT_TRUE(Receive(9, 6000, 9600));
  EXPECT_EQ(rx.outages.last_sequence.Get(), 8U) << "nothing more was lost";
}

TEST_F(ClassifierTest, DuplicatesSayNothingOfVariation) {
  for (const uint64_t sequence : {0U, 1U, 1U, 2U}) Receive(sequence, 6000, 6100 + sequence);
  EXPECT_EQ(rx.variation.ipdv_count.Get(), 2U);
  EXPECT_EQ(rx.packets.Get(), 4U);
}

TEST_F(ClassifierTest, CountsEachVersion) {
  Expect({.version = VersionBit::At(18 * 8)});
  head.resize(19);
  for (const auto& [first, bit] : {std::pair{0, 0x00}, {2, 0x80}, {5, 0x00}}) {
    if (first != 0) tx.flips.Ask();
    tx.flips.Begin(static_cast<uint64_t>(first));
    head[18] = static_cast<uint8_t>(bit);
    for (uint64_t i = 0; i < 3 && rx.order.next() < 6; ++i) {
      if (first == 0 && i == 2) break;
      Receive(rx.order.next(), 6000, kStartNs + 2000);
    }
  }
  EXPECT_EQ(rx.versions[0].packets.Get(), 3U);
  EXPECT_EQ(rx.versions[0].bytes.Get(), 192U);
  EXPECT_EQ(rx.versions[0].time_ns.Get().low, 6000U);
  EXPECT_EQ(rx.versions[1].packets.Get(), 3U);
  EXPECT_EQ(rx.version_rewritten.Get(), 0U);
}

TEST_F(ClassifierTest, SeesThatTheVersionWasWrittenOver) {
  Expect({.version = VersionBit::At(18 * 8)});
  head.resize(19);
  head[18] = 0x80;
  EXPECT_TRUE(Receive(0, 6000, 6100));
  EXPECT_EQ(rx.version_rewritten.Get(), 1U);
  EXPECT_EQ(rx.versions[1].packets.Get(), 1U) << "counted as it arrived";
}

TEST_F(ClassifierTest, ADamagedFrameIsNotReceived) {
  const std::vector<std::vector<uint8_t>> frames{std::vector<uint8_t>(60, 7)};
  const Integrity integrity({.frames = frames, .order = {}, .payload_offset = 42});
  Expect({.integrity = &integrity});
  rx.flows = std::make_unique<Flows>(2);
  head.assign(44, 7);
  head[0] = 1;  // the device under test changes headers
  EXPECT_TRUE(Receive(0, 6000, 6100));
  EXPECT_EQ(last, Signed::kGood);
  EXPECT_EQ(rx.corrupted.Get(), 0U);
  head[43] ^= 0x10;
  EXPECT_TRUE(Receive(1, 6000, 6100));
  EXPECT_EQ(last, Signed::kBad);
  EXPECT_EQ(rx.corrupted.Get(), 1U);
  EXPECT_EQ(rx.packets.Get(), 1U);
  EXPECT_EQ(rx.bytes.Get(), 64U);
  EXPECT_EQ(rx.latency.sum(), 100U);
  EXPECT_EQ(rx.order.next(), 1U);
  EXPECT_EQ(rx.flows->Read(1).packets, 0U);
  head[43] ^= 0x10;
  EXPECT_TRUE(Receive(2, 6000, 6300));
  EXPECT_EQ(rx.outages.longest_lost.Get(), 1U) << "it is lost";
}

TEST_F(ClassifierTest, AnIcmpErrorIsNotMisrouted) {
  const std::vector<std::vector<uint8_t>> frames{std::vector<uint8_t>(50, 7)};
  const Integrity integrity({.frames = frames, .order = {}});
  Expect({.integrity = &integrity});
  head.resize(44);
  wire::WriteEthernet(head, {}, {}, 0, wire::kEtherTypeIpv4);
  head[14] = 0x45;
  head[17] = 46;
  head[23] = 1;
  head[34] = 3;  // destination unreachable
  EXPECT_FALSE(Receive(0, 6000, 6100, kPort + 1));
  EXPECT_EQ(last, Signed::kForeign);
  EXPECT_EQ(rx.misrouted.frames(), 0U);
  EXPECT_EQ(port_counters.rx_misrouted.Get(), 0U);
  head[34] = 8;  // an echo request: the device may forward it unchanged
  EXPECT_TRUE(Receive(0, 6000, 6100, kPort + 1));
  EXPECT_EQ(rx.misrouted.frames(), 1U);
}

// Captures and queries ask OwnerOf. A frame that the trial counts as foreign has no stream there
// either.
TEST_F(ClassifierTest, AFrameIsOfTheSameStreamForCapturesAndForTheTrial) {
  const std::vector<std::vector<uint8_t>> frames{std::vector<uint8_t>(50, 7)};
  const Integrity integrity({.frames = frames, .order = {}});
  Expect({.integrity = &integrity});
  std::vector<uint8_t> frame(60);
  const auto owner = [&](uint64_t sequence, uint64_t sent_ns) {
    wire::SignatureWriter(kId, kSum, sent_ns).Write(frame.data() + 44, sequence);
    return OwnerOf(classifier, frame.data() + 44, frame, 6100);
  };
  EXPECT_NE(owner(0, 6000), nullptr);
  EXPECT_EQ(owner(0, kStartNs - 1), nullptr) << "of an earlier start";
  EXPECT_EQ(owner(0, 6100 + 2'000'000), nullptr) << "of a time to come";
  EXPECT_EQ(owner(1'000'000 + kBurst, 6000), nullptr) << "never sent";
  wire::WriteEthernet(frame, {}, {}, 0, wire::kEtherTypeIpv4);
  frame[14] = 0x45;
  frame[17] = 46;
  frame[23] = 1;
  frame[34] = 11;  // time exceeded
  EXPECT_EQ(owner(0, 6000), nullptr) << "quoted";
  EXPECT_EQ(rx.packets.Get(), 0U) << "nothing is counted";
}

TEST_F(ClassifierTest, TellsThePastFromForgeries) {
  Receive(0, kStartNs - 1, 6100);
  EXPECT_EQ(last, Signed::kStale);
  Receive(0, 6100 + 2'000'000, 6100);
  EXPECT_EQ(last, Signed::kForeign);
}

TEST_F(ClassifierTest, CountsFlows) {
  rx.flows = std::make_unique<Flows>(2);
  for (const uint64_t sequence : {0U, 1U, 2U}) Receive(sequence, 6000, 6100);
  EXPECT_EQ(rx.flows->Read(0).packets, 2U);
  EXPECT_EQ(rx.flows->Read(0).bytes, 128U);
  EXPECT_EQ(rx.flows->Read(1).latency_max_ns, 100U);
}

TEST_F(ClassifierTest, CountsWhatHasNoSignature) {
  const Expected expected{
      .counters = &rx, .start_ns = kStartNs, .base_ns = kStartNs, .version = VersionBit::At(7)};
  const std::vector<uint8_t> frame(60, 1);
  CountMatched(expected, {.frame = frame,
                          .bytes = 60,
                          .end = 60,
                          .port = kPort,
                          .now_ns = 6000,
                          .counters = &port_counters});
  EXPECT_EQ(rx.packets.Get(), 1U);
  EXPECT_EQ(rx.bytes.Get(), 64U);
  EXPECT_EQ(rx.first_ns.Get(), 6000U);
  EXPECT_EQ(rx.versions[1].time_ns.Get().low, 1000U);
  EXPECT_EQ(rx.latency.max(), 0U);
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

// A stream that another tester sends, whose clock is ahead by so much.
Expected OfAnother(StreamRx& rx, int64_t ahead_ns, uint64_t within_ns = 0) {
  return {.counters = &rx,
          .start_ns = kStartNs,
          .base_ns = kStartNs,
          .sender_ahead_ns = static_cast<uint64_t>(ahead_ns),
          .most_ahead_ns = kMostAheadNs + within_ns,
          .signature_sum = kSum,
          .rx_port = kPort};
}

TEST_F(ClassifierTest, ADelayBetweenTestersIsThatOfOneClock) {
  uint64_t sequence = 0;
  for (const int64_t ahead_ns : {0L, 4'000L, 123'456'789'000L, -3'000L, -123'456'789'000L}) {
    StreamRx own;
    classifier.Add(kId, OfAnother(own, ahead_ns));
    const uint64_t sent_ns = 10'000 + static_cast<uint64_t>(ahead_ns);  // on the sender's clock
    EXPECT_TRUE(Receive(sequence++, sent_ns, 10'250));
    EXPECT_EQ(own.latency.max(), 250U) << ahead_ns;
    EXPECT_EQ(own.packets.Get(), 1U);
    EXPECT_EQ(own.before_sent.Get(), 0U);
    EXPECT_FALSE(Receive(0, sent_ns - 5'001, 10'250)) << "of an earlier start";
  }
}

TEST_F(ClassifierTest, AFrameOfAnotherTesterMayArriveBeforeItWasSent) {
  StreamRx own;
  classifier.Add(kId, OfAnother(own, 1'000, 2'000'000));
  EXPECT_TRUE(Receive(0, 11'000 + kMostAheadNs + 1'999'999, 10'000));
  EXPECT_EQ(own.before_sent.Get(), 1U);
  EXPECT_EQ(own.latency.max(), 0U);
  EXPECT_FALSE(Receive(1, 11'000 + kMostAheadNs + 2'000'000, 10'000));
  EXPECT_TRUE(Receive(1, 11'000, 10'000)) << "at the very instant";
  EXPECT_EQ(own.before_sent.Get(), 1U);
}

TEST_F(ClassifierTest, HowMuchAnotherTesterHasSentIsNotKnown) {
  StreamRx own;
  classifier.Add(kId, OfAnother(own, 0));
  EXPECT_TRUE(Receive(0, 9'000, 10'000));
  EXPECT_TRUE(Receive(1'000'000'000, 9'000, 10'000));
  EXPECT_EQ(own.order.next(), 1'000'000'001U);
}

}  // namespace
}  // namespace tester
