// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "receiver/field_watch.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "wire/ethernet.h"
#include "wire/ipv4.h"
#include "wire/signature.h"

namespace tester {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kIp = 14;
constexpr uint32_t kTtlBit = (kIp + 8) * 8;

Bytes UdpFrame(uint16_t vlan = 0, size_t bytes = 80) {
  Bytes frame(bytes);
  const size_t ip = wire::WriteEthernet(frame, {2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 2}, vlan,
                                        wire::kEtherTypeIpv4);
  frame[ip] = 0x45;
  wire::Store16(frame.data() + ip + 2, static_cast<uint16_t>(bytes - ip));
  frame[ip + 8] = 64;
  frame[ip + 9] = wire::kProtocolUdp;
  wire::Store16(frame.data() + ip + 22, 7);
  wire::Store16(frame.data() + ip + 24, static_cast<uint16_t>(bytes - ip - 20));
  return frame;
}

SignedFrame Seen(const Bytes& frame, size_t padding = 0) {
  const size_t end = frame.size() - padding;
  return {.frame = frame,
          .bytes = frame.size(),
          .end = end,
          .signature = frame.data() + end - wire::kSignatureBytes};
}

FieldExpectation Ttl(FieldRelation relation) {
  return {.name = "ttl", .field = {kTtlBit, 8}, .relation = std::move(relation)};
}

FieldRelation SentPlus(int64_t difference, FieldComparison comparison = FieldComparison::kEqual) {
  return {.comparison = comparison, .of_sent = true, .difference = difference};
}

FieldWatch Watching(std::vector<FieldExpectation> expectations, const FramesPlan& contents) {
  return FieldWatch(std::make_shared<const ExpectedFields>(std::move(expectations), contents));
}

FramesPlan Sending(std::vector<Bytes> frames, std::vector<Editor> editors = {}) {
  FramesPlan plan;
  plan.signature = true;
  plan.frames = std::move(frames);
  plan.editors = std::move(editors);
  return plan;
}

TEST(FieldRelation, ComparesNumbersOfTheField) {
  EXPECT_TRUE(SentPlus(-1).Holds(63, 64));
  EXPECT_FALSE(SentPlus(-1).Holds(255, 0)) << "there is no number below 0 in a field";
  EXPECT_TRUE(SentPlus(-1, FieldComparison::kGreater).Holds(0, 0));
  EXPECT_TRUE(SentPlus(0, FieldComparison::kAtMost).Holds(64, 64));
  EXPECT_FALSE(SentPlus(0, FieldComparison::kLess).Holds(64, 64));
  EXPECT_TRUE(SentPlus(1, FieldComparison::kAtLeast).Holds(65, 64));
  const FieldRelation map{.of_sent = true, .rewritten = {{46, 10}, {26, 0}}};
  EXPECT_TRUE(map.Holds(10, 46));
  EXPECT_FALSE(map.Holds(46, 46));
  EXPECT_TRUE(map.Holds(7, 7)) << "what is not rewritten arrives as it was sent";
  FieldRelation some{.values = {1, 3}};
  EXPECT_TRUE(some.Holds(3, 0));
  EXPECT_FALSE(some.Holds(2, 0));
  some.comparison = FieldComparison::kNotEqual;
  EXPECT_FALSE(some.Holds(3, 0));
  EXPECT_TRUE(some.Holds(2, 0));
}

TEST(FieldWatch, CountsWhatIsNotAsExpected) {
  FieldWatch watch = Watching({Ttl(SentPlus(-1))}, Sending({UdpFrame()}));
  Bytes frame = UdpFrame();
  for (uint64_t sequence = 0; sequence < 100; ++sequence) {
    frame[kIp + 8] = sequence % 10 == 9 ? 62 : 63;
    watch.Look(Seen(frame), sequence, true);
  }
  const FieldCounts& counts = watch.counts(0);
  EXPECT_EQ(counts.compared.Get(), 100U);
  EXPECT_EQ(counts.wrong.Get(), 10U);
  EXPECT_EQ(counts.absent.Get(), 0U);
  EXPECT_EQ(counts.first_sequence.Get(), 9U);
  EXPECT_EQ(counts.examples[0].frames.Get(), 10U);
  EXPECT_EQ(counts.examples[0].arrived.Get(), 62U);
  EXPECT_EQ(counts.examples[0].sent.Get(), 64U);
  EXPECT_EQ(counts.examples[1].frames.Get(), 0U);
}

TEST(FieldWatch, NamesTheFirstWrongValuesAndCountsAll) {
  FieldWatch watch = Watching({Ttl({.values = {64}})}, Sending({UdpFrame()}));
  Bytes frame = UdpFrame();
  for (uint8_t ttl = 1; ttl <= 10; ++ttl) {
    frame[kIp + 8] = ttl;
    watch.Look(Seen(frame), ttl, true);
  }
  EXPECT_EQ(watch.counts(0).wrong.Get(), 10U);
  for (uint64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(watch.counts(0).examples[i].arrived.Get(), i + 1);
    EXPECT_EQ(watch.counts(0).examples[i].frames.Get(), 1U);
  }
}

TEST(FieldWatch, FindsAFieldBehindOtherHeaders) {
  FieldWatch watch = Watching({Ttl(SentPlus(0))}, Sending({UdpFrame()}));
  Bytes tagged = UdpFrame(100, 84);
  watch.Look(Seen(tagged), 0, true);
  EXPECT_EQ(watch.counts(0).wrong.Get(), 0U);
  tagged[kIp + 4 + 8] = 1;
  watch.Look(Seen(tagged), 1, true);
  EXPECT_EQ(watch.counts(0).wrong.Get(), 1U);
  EXPECT_EQ(watch.counts(0).examples[0].arrived.Get(), 1U);
  Bytes arp = UdpFrame();
  wire::Store16(arp.data() + 12, wire::kEtherTypeArp);
  watch.Look(Seen(arp), 2, true);
  EXPECT_EQ(watch.counts(0).absent.Get(), 1U);
  EXPECT_EQ(watch.counts(0).wrong.Get(), 2U);
}

TEST(FieldWatch, ATagThatIsLostIsAbsentAndTheFrameMayBePadded) {
  const FieldExpectation vlan{.name = "vlan", .field = {116, 12}, .relation = SentPlus(0)};
  FieldWatch watch =
      Watching({vlan, {.name = "ttl", .field = {kTtlBit + 32, 8}, .relation = SentPlus(0)}},
               Sending({UdpFrame(100, 64)}));
  watch.Look(Seen(UdpFrame(100, 64)), 0, true);
  EXPECT_EQ(watch.counts(0).wrong.Get(), 0U);
  Bytes untagged = UdpFrame(0, 60);
  untagged.resize(64);
  watch.Look(Seen(untagged, 4), 1, true);
  EXPECT_EQ(watch.counts(0).absent.Get(), 1U);
  EXPECT_EQ(watch.counts(0).examples[0].sent.Get(), 100U);
  EXPECT_EQ(watch.counts(1).wrong.Get(), 0U);
}

TEST(FieldWatch, KnowsTheValueOfEachFrame) {
  Bytes other = UdpFrame(0, 100);
  other[kIp + 8] = 32;
  const Editor source{.field = {(kIp + 12) * 8, 32},
                      .every = 1,
                      .source = Step(1, 1, 7, 0xffffffff),
                      .coverage = {}};
  FieldWatch watch = Watching(
      {Ttl(SentPlus(0)), {.name = "src", .field = {(kIp + 14) * 8, 16}, .relation = SentPlus(0)}},
      Sending({UdpFrame(), other}, {source}));
  for (const uint64_t sequence : {0, 1, 2, 9, 4}) {
    Bytes frame = sequence % 2 == 0 ? UdpFrame() : other;
    wire::Store16(frame.data() + kIp + 14, static_cast<uint16_t>(1 + sequence % 7));
    watch.Look(Seen(frame), sequence, true);
  }
  EXPECT_EQ(watch.counts(0).wrong.Get(), 0U);
  EXPECT_EQ(watch.counts(1).wrong.Get(), 0U);
  watch.Look(Seen(other), 3, true);
  EXPECT_EQ(watch.counts(1).examples[0].sent.Get(), 4U);
}

TEST(FieldWatch, NothingIsSaidOfFramesWithoutANumber) {
  FieldWatch watch = Watching({Ttl(SentPlus(0)), Ttl({.values = {63}})}, Sending({UdpFrame()}));
  watch.Look(Seen(UdpFrame()), 0, false);
  EXPECT_EQ(watch.counts(0).compared.Get(), 0U);
  EXPECT_EQ(watch.counts(0).unknown.Get(), 1U);
  EXPECT_EQ(watch.counts(1).wrong.Get(), 1U) << "a number is a number, whatever was sent";
  EXPECT_EQ(watch.counts(1).examples[0].sent.Get(), FieldCounts::Example::kUnknown);
}

}  // namespace
}  // namespace tester
