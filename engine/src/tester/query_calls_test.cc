// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Queries on real ports: frames leave from a and arrive on b.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "plan/validate_query.h"
#include "tester/queries.h"
#include "tester/tester_testing.h"

namespace tester {
namespace {

using testing::HasSubstr;

class Queried : public LoopTest {
 protected:
  static v1::Query QueryOf(const std::string& name, v1::Capture::Direction direction) {
    v1::Query query;
    query.set_name(name);
    query.set_direction(direction);
    query.set_capacity(64);
    auto& key = *query.add_keys();
    key.mutable_operand()->set_fact(v1::QUERY_FACT_PORT);
    key.set_mask(std::string(8, '\xff'));
    return query;
  }

  void Send(const std::string& name, uint32_t id, uint64_t packets) {
    v1::Job job = JobOf(name, {{.id = id}});
    job.mutable_streams(0)->set_name(name);
    tester->Load(job);
    tester->Start({name}, 0, packets);
    WaitForEnd(*tester, name);
  }

  // All rows: the port, and how many frames.
  std::vector<std::pair<int, uint64_t>> Rows(const std::string& name) {
    v1::ReadQueryRequest request;
    request.set_name(name);
    std::vector<std::pair<int, uint64_t>> rows;
    tester->ReadQuery(request, [&](const v1::QueryRows& chunk) {
      for (const auto& row : chunk.rows()) rows.emplace_back(row.keys().back(), row.frames());
      return true;
    });
    return rows;
  }

  using Expected = std::vector<std::pair<int, uint64_t>>;
};

TEST_F(Queried, CountsWhereFramesLeaveAndWhereTheyArrive) {
  tester->StartQuery(QueryOf("out", v1::Capture::DIRECTION_TRANSMITTED));
  tester->StartQuery(QueryOf("in", v1::Capture::DIRECTION_RECEIVED));
  tester->StartQuery(QueryOf("both", v1::Capture::DIRECTION_BOTH));
  Send("job", 1, 1000);
  EXPECT_EQ(Rows("out"), (Expected{{0, 1000}}));
  EXPECT_EQ(Rows("in"), (Expected{{1, 1000}}));
  EXPECT_EQ(Rows("both"), (Expected{{0, 1000}, {1, 1000}}));
  EXPECT_EQ(tester->TakeSnapshot({}).queries_size(), 3);
}

TEST_F(Queried, KnowsStreamsWhateverIsLoadedWhen) {
  v1::Query one = QueryOf("one", v1::Capture::DIRECTION_RECEIVED);
  one.add_streams("later");
  v1::Query none = QueryOf("none", v1::Capture::DIRECTION_RECEIVED);
  none.set_foreign(true);
  tester->StartQuery(one);
  tester->StartQuery(none);
  Send("sooner", 1, 10);
  Send("later", 2, 20);
  v1::InjectRequest frame;
  frame.set_port("a");
  frame.add_frames(std::string(60, '\x01'));
  tester->single_frames().Inject(frame, {});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(Rows("one"), (Expected{{1, 20}}));
  EXPECT_EQ(Rows("none"), (Expected{{1, 1}}));
}

TEST_F(Queried, StoppedItKeepsWhatItHas) {
  tester->StartQuery(QueryOf("in", v1::Capture::DIRECTION_RECEIVED));
  Send("one", 1, 10);
  tester->StopQuery("in");
  tester->StopQuery("in");
  Send("other", 2, 10);
  EXPECT_EQ(Rows("in"), (Expected{{1, 10}}));
  EXPECT_FALSE(tester->TakeSnapshot({}).queries(0).running());
  tester->ForgetQuery("in");
  EXPECT_EQ(CodeOf([&] { tester->StopQuery("in"); }), Code::kNotFound);
}

TEST_F(Queried, StoppedItHasWhatHadArrived) {
  v1::InjectRequest frame;
  frame.set_port("a");
  frame.add_frames(std::string(60, '\x01'));
  for (int round = 0; round < 200; ++round) {
    tester->StartQuery(QueryOf("in", v1::Capture::DIRECTION_RECEIVED));
    tester->single_frames().Inject(frame, {});
    tester->StopQuery("in");
    ASSERT_EQ(Rows("in"), (Expected{{1, 1}})) << "round " << round;
    tester->ForgetQuery("in");
  }
}

TEST_F(Queried, WhatIsWrongIsRefusedAndChangesNothing) {
  tester->StartQuery(QueryOf("small", v1::Capture::DIRECTION_RECEIVED));
  const auto again = [&] { tester->StartQuery(QueryOf("small", v1::Capture::DIRECTION_RECEIVED)); };
  EXPECT_EQ(CodeOf(again), Code::kAlreadyExists);
  EXPECT_EQ(tester->TakeSnapshot({}).queries_size(), 1);
  v1::ReadQueryRequest request;
  request.set_name("small");
  request.set_keys("xy");
  const auto wide = [&] { tester->ReadQuery(request, [](const v1::QueryRows&) { return true; }); };
  EXPECT_EQ(CodeOf(wide), Code::kInvalidArgument);
}

// The most keys, each as long as can be and with a value; no memory is taken.
TEST(Queries, MoreMemoryThanThereIsIsRefused) {
  Queries queries(1, 1);
  QueryPlan plan{.name = "large",
                 .ports = {true},
                 .transmitted = false,
                 .received = true,
                 .streams = {},
                 .foreign = false,
                 .tests = {},
                 .keys = {},
                 .key_bytes = KeyTable::kMostKeyWords * sizeof(uint64_t),
                 .symmetric = false,
                 .value = QueryValue{.operand = {.fact = QueryOperand::Fact::kLength},
                                     .mask = UINT64_MAX,
                                     .shift = 0,
                                     .function = QueryValue::Function::kSum},
                 .capacity = kMaxQueryKeys,
                 .interval_ns = 0};
  try {
    queries.Add(plan, 0);
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kResourceExhausted);
    // 2^25 rows of 64 bytes, and 2^26 places of 4.
    EXPECT_THAT(error.what(), HasSubstr("other queries have 0 MiB"));
    EXPECT_THAT(error.what(), HasSubstr("max_query_bytes is 2048 MiB: 256 MiB too much"));
  }
  EXPECT_TRUE(queries.All().empty());
}

}  // namespace
}  // namespace tester
