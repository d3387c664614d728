// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/validate_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace tester {
namespace {

using testing::HasSubstr;

const std::vector<PortLimits> kPorts = {{.name = "a", .max_frame_bytes = 1522},
                                        {.name = "b", .max_frame_bytes = 9018}};

void SetField(v1::QueryOperand& operand, v1::QueryField::Part part, uint32_t offset,
              uint32_t bytes) {
  operand.mutable_field()->set_part(part);
  operand.mutable_field()->set_offset(offset);
  operand.mutable_field()->set_bytes(bytes);
}

void AddKey(v1::Query& query, uint32_t bytes, uint32_t opposite = 0) {
  auto& key = *query.add_keys();
  SetField(*key.mutable_operand(), v1::QueryField::PART_NETWORK, 12, bytes);
  key.set_mask(std::string(bytes, '\xff'));
  key.set_opposite(opposite);
}

// Counts the sources of answers, and their bytes.
v1::Query Sound() {
  v1::Query query;
  query.set_name("x");
  query.set_capacity(1000);
  AddKey(query, 4);
  auto& test = *query.add_tests();
  SetField(*test.mutable_operand(), v1::QueryField::PART_TRANSPORT, 13, 1);
  test.mutable_operand()->mutable_field()->set_protocol(6);
  test.set_mask("\xff");
  test.set_value("\x12");
  query.mutable_value()->mutable_operand()->set_fact(v1::QUERY_FACT_LENGTH);
  query.mutable_value()->set_mask(std::string(8, '\xff'));
  return query;
}

TEST(ValidateQuery, WhatIsSaidCounts) {
  v1::Query query = Sound();
  query.add_ports("b");
  query.set_direction(v1::Capture::DIRECTION_RECEIVED);
  query.set_interval_ns(1'000'000);
  const QueryPlan plan = ValidateQuery(query, kPorts);
  EXPECT_EQ(plan.ports, (std::vector<bool>{false, true}));
  EXPECT_TRUE(plan.received && !plan.transmitted);
  ASSERT_EQ(plan.tests.size(), 1U);
  EXPECT_EQ(plan.tests[0].operand.protocol, 6);
  EXPECT_EQ(plan.tests[0].relation, QueryTest::Relation::kIs);
  ASSERT_EQ(plan.keys.size(), 1U);
  EXPECT_EQ(plan.keys[0].offset, 8U) << "behind the number of the interval";
  EXPECT_EQ(plan.key_bytes, 12U);
  EXPECT_EQ(plan.value->function, QueryValue::Function::kSum);
  EXPECT_EQ(plan.value->operand.fact, QueryOperand::Fact::kLength);
}

TEST(ValidateQuery, PairsOfOppositesChangePlaces) {
  v1::Query query = Sound();
  query.mutable_keys(0)->set_opposite(1);
  AddKey(query, 4, 0);
  AddKey(query, 1, 2);
  query.set_symmetric(true);
  const QueryPlan plan = ValidateQuery(query, kPorts);
  EXPECT_EQ(plan.keys[0].opposite, 4U);
  EXPECT_EQ(plan.keys[1].opposite, 0U);
  EXPECT_EQ(plan.keys[2].opposite, 8U);
}

struct Refusal {
  const char* says;
  std::function<void(v1::Query&)> change;
  Code code = Code::kInvalidArgument;
};

TEST(ValidateQuery, WhatCannotBeIsRefused) {
  const std::vector<Refusal> refusals = {
      {"a name of 0 bytes", [](v1::Query& q) { q.set_name(""); }},
      {"\"c\"", [](v1::Query& q) { q.add_ports("c"); }, Code::kNotFound},
      {"direction 9",
       [](v1::Query& q) { q.set_direction(static_cast<v1::Capture::Direction>(9)); }},
      {"room for 0 keys", [](v1::Query& q) { q.set_capacity(0); }},
      {"room for 33554433 keys", [](v1::Query& q) { q.set_capacity((1U << 25) + 1); }},
      {"at least 1000", [](v1::Query& q) { q.set_interval_ns(999); }},
      {"one of them",
       [](v1::Query& q) {
         q.add_streams("north");
         q.set_foreign(true);
       }},
      {"33 tests",
       [](v1::Query& q) {
         while (q.tests_size() < 33) *q.add_tests() = q.tests(0);
       }},
      {"9 keys",
       [](v1::Query& q) {
         while (q.keys_size() < 9) AddKey(q, 1);
       }},
      {"more than 40 bytes together, by 3",
       [](v1::Query& q) {
         AddKey(q, 33);
         AddKey(q, 6);
       }},
      {"a mask of 2 bytes for an operand of 4",
       [](v1::Query& q) { q.mutable_keys(0)->set_mask("\xff\xff"); }},
      {"its opposite is key 7",
       [](v1::Query& q) {
         q.set_symmetric(true);
         q.mutable_keys(0)->set_opposite(7);
       }},
      {"not as wide",
       [](v1::Query& q) {
         q.set_symmetric(true);
         q.mutable_keys(0)->set_opposite(1);
         AddKey(q, 2, 0);
       }},
      {"bits that the mask has not", [](v1::Query& q) { q.mutable_tests(0)->set_mask("\x02"); }},
      {"a value of 2 bytes", [](v1::Query& q) { q.mutable_tests(0)->set_value("\x12\x12"); }},
      {"there is no relation 6",
       [](v1::Query& q) { q.mutable_tests(0)->set_relation(v1::Compare::RELATION_BEFORE); }},
      {"there is no part 9",
       [](v1::Query& q) {
         SetField(*q.mutable_keys(0)->mutable_operand(), static_cast<v1::QueryField::Part>(9), 0,
                  4);
       }},
      {"a field of 65 bytes",
       [](v1::Query& q) {
         SetField(*q.mutable_keys(0)->mutable_operand(), v1::QueryField::PART_FRAME, 0, 65);
       }},
      {"a protocol is only",
       [](v1::Query& q) {
         q.mutable_keys(0)->mutable_operand()->mutable_field()->set_protocol(6);
       }},
      {"an operand is a field or a fact", [](v1::Query& q) { q.mutable_keys(0)->clear_operand(); }},
      {"it can only be the value",
       [](v1::Query& q) {
         q.mutable_keys(0)->mutable_operand()->set_fact(v1::QUERY_FACT_GAP);
         q.mutable_keys(0)->set_mask(std::string(8, '\xff'));
       }},
      {"gaps of 2 ports in both directions",
       [](v1::Query& q) { q.mutable_value()->mutable_operand()->set_fact(v1::QUERY_FACT_GAP); }},
      {"the sum of a field of 48 bits",
       [](v1::Query& q) {
         SetField(*q.mutable_value()->mutable_operand(), v1::QueryField::PART_FRAME, 0, 6);
         q.mutable_value()->set_mask(std::string(6, '\xff'));
       }},
      {"a mask without bits",
       [](v1::Query& q) { q.mutable_value()->set_mask(std::string(8, '\0')); }},
  };
  for (const Refusal& refusal : refusals) {
    v1::Query query = Sound();
    refusal.change(query);
    try {
      ValidateQuery(query, kPorts);
      ADD_FAILURE() << "not refused: " << refusal.says;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), refusal.code);
      EXPECT_THAT(error.what(), HasSubstr(refusal.says));
    }
  }
}

}  // namespace
}  // namespace tester
