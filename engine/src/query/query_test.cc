// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "query/query.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "inline/packets_testing.h"

namespace tester {
namespace {

using Part = QueryOperand::Part;
using Fact = QueryOperand::Fact;
using Relation = QueryTest::Relation;
using Function = QueryValue::Function;

QueryOperand Field(Part part, uint32_t offset, uint32_t bytes) {
  return {.part = part, .offset = offset, .bytes = bytes, .fact = Fact::kNone};
}

const QueryOperand kSource = {
    .part = Part::kNetwork, .offset = 12, .bytes = 4, .ether_type = 0x0800, .fact = Fact::kNone};
const QueryOperand kDestination = {
    .part = Part::kNetwork, .offset = 16, .bytes = 4, .ether_type = 0x0800, .fact = Fact::kNone};
const QueryOperand kSourcePort = {
    .part = Part::kTransport, .offset = 0, .bytes = 2, .protocol = 6, .fact = Fact::kNone};
const QueryOperand kDestinationPort = {
    .part = Part::kTransport, .offset = 2, .bytes = 2, .protocol = 6, .fact = Fact::kNone};
const QueryOperand kFlags = {
    .part = Part::kTransport, .offset = 13, .bytes = 1, .protocol = 6, .fact = Fact::kNone};

class QueryOfFrames : public testing::Test {
 protected:
  void AddKey(const QueryOperand& operand) {
    plan.keys.push_back({.operand = operand,
                         .mask = std::vector<uint8_t>(operand.bytes, 0xff),
                         .offset = plan.key_bytes,
                         .opposite = plan.key_bytes});
    plan.key_bytes += operand.bytes;
  }

  void Value(const QueryOperand& operand, Function function) {
    plan.value = {.operand = operand, .mask = UINT64_MAX, .shift = 0, .function = function};
  }

  void Start(std::vector<bool> workers = {true}) {
    query = std::make_unique<Query>(std::make_shared<const QueryPlan>(plan), workers, 0);
  }

  void See(const std::vector<uint8_t>& frame, uint64_t now_ns = 0, bool wanted = true,
           size_t worker = 0) {
    QueryLane& lane = *query->lane(worker);
    lane.Begin(now_ns);
    lane.See(QueriedFrame(frame, 3), wanted);
    lane.Publish(1);
  }

  std::map<std::string, std::pair<uint64_t, std::optional<uint64_t>>> Rows() const {
    std::map<std::string, std::pair<uint64_t, std::optional<uint64_t>>> rows;
    query->Read(std::nullopt, [&](const Query::Row& row) {
      EXPECT_TRUE(rows.empty() || rows.rbegin()->first < row.keys);
      rows[row.keys] = {row.frames, row.value};
      return true;
    });
    return rows;
  }

  QueryPlan plan{.name = "x",
                 .ports = {true},
                 .transmitted = false,
                 .received = true,
                 .streams = {},
                 .foreign = false,
                 .tests = {},
                 .keys = {},
                 .key_bytes = 0,
                 .symmetric = false,
                 .value = {},
                 .capacity = 64,
                 .interval_ns = 0};
  std::unique_ptr<Query> query;
};

std::string Octets(std::initializer_list<uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

TEST_F(QueryOfFrames, WithoutKeysAllFramesAreOneRow) {
  Start();
  for (int i = 0; i < 3; ++i) See(FrameOf({}));
  EXPECT_EQ(Rows().at("").first, 3U);
  EXPECT_EQ(query->keys(), 1U);
}

TEST_F(QueryOfFrames, WithAnswersAloneSourcesAreTold) {
  AddKey(kSource);
  plan.tests.push_back({kFlags, Relation::kIs, {0xff}, {kTestSyn | kTestAck}});
  Start();
  See(FrameOf({.flags = kTestSyn}));
  See(FrameOf({.to_client = true, .flags = kTestSyn | kTestAck}));
  See(FrameOf({.to_client = true, .flags = kTestSyn | kTestAck, .vlan = 5}));
  See(FrameOf({.to_client = true, .flags = kTestSyn | kTestAck, .ipv6 = true}));
  const auto rows = Rows();
  ASSERT_EQ(rows.size(), 1U) << "IPv6 has no such source";
  EXPECT_EQ(rows.at(Octets({10, 0, 0, 2})).first, 2U) << "behind a tag, too";
  EXPECT_EQ(query->counted().seen, 4U);
  EXPECT_EQ(query->counted().matched, 2U);
}

TEST_F(QueryOfFrames, WholeBurstsCountAsTheirFramesDo) {
  AddKey(kSource);
  Value({.fact = Fact::kLength}, Function::kSum);
  const std::vector<std::vector<uint8_t>> frames = {
      FrameOf({}), FrameOf({.ipv6 = true}), FrameOf({.to_client = true, .vlan = 5}),
      FrameOf({.payload = 9}), FrameOf({.to_client = true})};
  Start({true, true});
  for (const auto& frame : frames) See(frame);
  const auto one_by_one = Rows();
  ASSERT_EQ(one_by_one.at(Octets({10, 0, 0, 1})).first, 2U);
  QueryLane& lane = *query->lane(1);
  lane.Begin(0);
  lane.SeeAll(static_cast<uint16_t>(frames.size()),
              [&](uint16_t i) { return QueriedFrame(frames[i], 3); });
  lane.Publish(frames.size());
  for (const auto& [keys, row] : Rows()) {
    EXPECT_EQ(row.first, 2 * one_by_one.at(keys).first);
    EXPECT_EQ(row.second, 2 * *one_by_one.at(keys).second);
  }
  EXPECT_EQ(query->counted().seen, 2 * frames.size());
  EXPECT_EQ(query->counted().matched, 8U) << "IPv6 has no such source";
}

TEST_F(QueryOfFrames, RelationsCompareNumbers) {
  const auto counted = [&](Relation relation, std::vector<uint8_t> value) {
    plan.tests = {{kSourcePort, relation, {0xff, 0xff}, std::move(value)}};
    Start();
    for (const uint16_t port : std::initializer_list<uint16_t>{255, 256, 257})
      See(FrameOf({.client_port = port}));
    return query->counted().matched;
  };
  EXPECT_EQ(counted(Relation::kIs, {1, 0}), 1U);
  EXPECT_EQ(counted(Relation::kNot, {1, 0}), 2U);
  EXPECT_EQ(counted(Relation::kBelow, {1, 0}), 1U);
  EXPECT_EQ(counted(Relation::kAtMost, {1, 0}), 2U);
  EXPECT_EQ(counted(Relation::kAbove, {0, 255}), 2U);
  EXPECT_EQ(counted(Relation::kAtLeast, {1, 1}), 1U);
}

TEST_F(QueryOfFrames, FieldsEndWithThePacketAndNotWithItsPadding) {
  plan.tests = {{Field(Part::kPayload, 3, 1), Relation::kAtLeast, {0xff}, {0}}};
  Start();
  See(FrameOf({.payload = 3}));
  EXPECT_EQ(query->counted().matched, 0U);
  See(FrameOf({.payload = 4}));
  EXPECT_EQ(query->counted().matched, 1U);
}

TEST_F(QueryOfFrames, TheTwoDirectionsOfAConnectionAreOne) {
  for (const auto& operand : {kSource, kDestination, kSourcePort, kDestinationPort})
    AddKey(operand);
  plan.symmetric = true;
  plan.keys[0].opposite = plan.keys[1].offset;
  plan.keys[1].opposite = plan.keys[0].offset;
  plan.keys[2].opposite = plan.keys[3].offset;
  plan.keys[3].opposite = plan.keys[2].offset;
  Start();
  See(FrameOf({.client_port = 9}));
  See(FrameOf({.client_port = 9, .to_client = true}));
  See(FrameOf({.client_port = 10, .to_client = true}));
  const auto rows = Rows();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows.begin()->second.first, 2U);
  EXPECT_EQ(rows.begin()->first, Octets({10, 0, 0, 1, 10, 0, 0, 2, 0, 9, 0, 80}));
}

TEST_F(QueryOfFrames, GapsAreBetweenFramesOfOneKey) {
  for (const auto& [function, expected] :
       {std::pair(Function::kSum, 40U), {Function::kMax, 30U}, {Function::kMin, 10U}}) {
    plan.keys.clear();
    plan.key_bytes = 0;
    AddKey(kSourcePort);
    Value({.fact = Fact::kGap}, function);
    Start();
    See(FrameOf({.client_port = 1}), 100);
    See(FrameOf({.client_port = 2}), 105);
    See(FrameOf({.client_port = 1}), 110);
    See(FrameOf({.client_port = 1}), 140);
    const auto rows = Rows();
    EXPECT_EQ(rows.at(Octets({0, 1})).second, expected);
    EXPECT_EQ(rows.at(Octets({0, 2})).second, std::nullopt) << "one frame has no gap";
  }
}

TEST_F(QueryOfFrames, IntervalsBeginWithTheQuery) {
  plan.interval_ns = 1000;
  plan.key_bytes = 8;
  AddKey({.fact = Fact::kPort});
  Start();
  for (const uint64_t now_ns : {0U, 999U, 1000U, 5000U}) See(FrameOf({}), now_ns);
  const auto rows = Rows();
  const std::string port = Octets({0, 0, 0, 0, 0, 0, 0, 3});
  EXPECT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows.at(std::string(8, '\0') + port).first, 2U);
  EXPECT_EQ(rows.at(std::string(7, '\0') + '\x05' + port).first, 1U);
}

TEST_F(QueryOfFrames, FramesWhoseKeyFindsNoRoomAreCounted) {
  plan.capacity = 2;
  AddKey(kSourcePort);
  Start();
  for (const uint16_t port : std::initializer_list<uint16_t>{1, 2, 3, 3, 1})
    See(FrameOf({.client_port = port}));
  EXPECT_EQ(query->counted().missed, 2U);
  EXPECT_EQ(query->counted().matched, 5U);
  EXPECT_EQ(query->keys(), 2U);
}

TEST_F(QueryOfFrames, FramesThatAPortDoesNotTakeAreNotCounted) {
  Start();
  const auto frame = FrameOf({});
  QueryLane& lane = *query->lane(0);
  lane.Begin(0);
  for (const bool wanted : {false, true, true, true}) lane.See(QueriedFrame(frame, 0), wanted);
  lane.Publish(3);
  EXPECT_EQ(query->counted().matched, 2U);
  EXPECT_EQ(query->counted().seen, 3U);
}

// Fields of a plain IPv4 header are found without a search. A condition that every frame meets
// forces the search; both ways must give the same rows for all frames.
TEST_F(QueryOfFrames, PlainPacketsAreCountedAsAllOthers) {
  plan.interval_ns = 1000;
  plan.key_bytes = 8;
  plan.capacity = 100'000;
  for (const auto& operand : {kSource, kDestination}) AddKey(operand);
  Value({.fact = Fact::kLength}, Function::kSum);
  std::mt19937 random(5);
  std::vector<std::vector<uint8_t>> frames;
  for (int i = 0; i < 20'000; ++i) {
    auto frame = FrameOf({.to_client = random() % 2 == 0,
                          .payload = random() % 9,
                          .ipv6 = random() % 8 == 0,
                          .vlan = static_cast<uint16_t>(random() % 8 == 0 ? 7 : 0)});
    // Type, version, header length and total length among them.
    if (random() % 2 == 0) frame[12 + random() % 8] ^= static_cast<uint8_t>(1U << random() % 8);
    if (random() % 8 == 0) frame.resize(random() % frame.size());
    frames.push_back(std::move(frame));
  }
  const auto rows = [&] {
    Start();
    for (size_t i = 0; i < frames.size(); ++i) See(frames[i], i / 7);
    return Rows();
  };
  const auto found = rows();
  plan.tests = {{Field(Part::kFrame, 0, 0), Relation::kIs, {}, {}}};
  EXPECT_EQ(found, rows());
  EXPECT_GT(found.size(), 2U);
  uint64_t counted = 0;
  for (const auto& [keys, row] : found) counted += row.first;
  EXPECT_GT(counted, frames.size() / 2);
  EXPECT_LT(counted, frames.size());
}

// Against a map, with several workers that meet the same keys.
TEST_F(QueryOfFrames, TablesOfSeveralWorkersAreOneResult) {
  plan.capacity = 512;
  AddKey(kSourcePort);
  Value({.fact = Fact::kLength}, Function::kSum);
  Start({true, false, true});
  EXPECT_EQ(query->lane(1), nullptr);
  std::mt19937 random(3);
  std::map<std::string, std::pair<uint64_t, std::optional<uint64_t>>> expected;
  for (int i = 0; i < 20'000; ++i) {
    const auto port = static_cast<uint16_t>(random() % 500);
    const auto frame = FrameOf({.client_port = port, .payload = random() % 900});
    See(frame, 0, true, random() % 2 * 2);
    auto& [frames, bytes] =
        expected[Octets({static_cast<uint8_t>(port >> 8), static_cast<uint8_t>(port)})];
    ++frames;
    bytes = bytes.value_or(0) + frame.size() + wire::kFcsBytes;
  }
  EXPECT_EQ(Rows(), expected);
  EXPECT_EQ(query->keys(), expected.size());
  uint64_t last = UINT64_MAX;
  size_t rows = 0;
  query->Read(10, [&](const Query::Row& row) {
    EXPECT_LE(*row.value, last);
    EXPECT_EQ(row.value, expected[row.keys].second);
    last = *row.value;
    ++rows;
    return true;
  });
  EXPECT_EQ(rows, 10U);
  size_t greater = 0;
  for (const auto& [keys, counts] : expected) greater += *counts.second > last ? 1 : 0;
  EXPECT_LE(greater, 9U);
  const auto first = expected.begin();
  EXPECT_EQ(query->Find(first->first)->frames, first->second.first);
  EXPECT_FALSE(query->Find(Octets({0xff, 0xff})));
}

}  // namespace
}  // namespace tester
