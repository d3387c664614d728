// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// What one worker has to count alone is refused by name on a port with two queues.
#include "plan/check_queues.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "plan/validate_capture.h"
#include "plan/validate_query.h"

namespace tester {
namespace {

using testing::HasSubstr;

std::vector<PortLimits> Ports(size_t queues) {
  return {{.name = "a", .max_frame_bytes = 1518, .queues = queues},
          {.name = "b", .max_frame_bytes = 1518, .queues = queues}};
}

v1::Stream& AddStream(v1::Job& job) {
  auto& stream = *job.add_streams();
  stream.set_id(1);
  stream.set_tx_port("a");
  stream.set_rx_port("b");
  stream.add_frames(std::string(60, '\0'));
  stream.set_signature(true);
  stream.mutable_departures()->mutable_steady()->mutable_tick()->set_packets(1);
  stream.mutable_departures()->mutable_steady()->mutable_tick()->set_nanoseconds(1000);
  return stream;
}

void ExpectRefused(const std::function<void()>& validate, const std::string& what) {
  try {
    validate();
    ADD_FAILURE() << what << " are not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kFailedPrecondition) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("has 2 queues, and " + what + " need a port with one"));
    EXPECT_THAT(error.what(), HasSubstr("--queues"));
  }
}

void ExpectJobRefused(const std::function<void(v1::Job&)>& fill, const std::string& what) {
  v1::Job job;
  job.set_name("job");
  fill(job);
  ExpectRefused([&] { ValidateJob(job, Ports(2)); }, what);
}

TEST(CheckOneQueue, StreamsAreWelcomeOnSeveral) {
  v1::Job job;
  job.set_name("job");
  AddStream(job);
  EXPECT_EQ(ValidateJob(job, Ports(2)).streams.size(), 1U);
}

TEST(CheckOneQueue, FlowCountersAreRefused) {
  ExpectJobRefused([](v1::Job& job) { AddStream(job).set_flows(4); }, "flow counters");
}

TEST(CheckOneQueue, ExpectedFieldsAreRefused) {
  ExpectJobRefused(
      [](v1::Job& job) {
        auto& field = *AddStream(job).add_expected_fields();
        field.set_name("destination");
        field.set_bits(48);
        field.set_comparison(v1::ExpectedField::COMPARISON_EQUAL);
        field.mutable_values()->add_values(0);
      },
      "expected fields");
}

TEST(CheckOneQueue, RespondersAreRefused) {
  ExpectJobRefused(
      [](v1::Job& job) {
        auto& responder = *job.add_responders();
        responder.set_name("server");
        responder.set_port("b");
      },
      "responders");
}

TEST(CheckOneQueue, PathsAreRefused) {
  ExpectJobRefused(
      [](v1::Job& job) {
        auto& path = *job.add_paths();
        path.set_name("path");
        path.set_first_port("a");
        path.set_second_port("b");
      },
      "paths");
}

TEST(CheckOneQueue, StampsAreRefused) {
  ExpectJobRefused([](v1::Job& job) { job.add_stamps()->set_name("stamps"); }, "stamps");
}

TEST(CheckOneQueue, QueriesAreRefused) {
  v1::Query query;
  query.set_name("talkers");
  query.set_capacity(8);
  ExpectRefused([&] { ValidateQuery(query, Ports(2)); }, "queries");
}

TEST(CheckOneQueue, TriggersByAGapAreRefused) {
  v1::Capture capture;
  capture.set_name("around");
  capture.mutable_trigger()->set_kind(v1::CaptureTrigger::KIND_GAP);
  ExpectRefused([&] { ValidateCapture(capture, Ports(2)); }, "triggers by a gap");
  capture.mutable_trigger()->set_kind(v1::CaptureTrigger::KIND_DAMAGE);
  EXPECT_NO_THROW(ValidateCapture(capture, Ports(2)));
}

}  // namespace
}  // namespace tester
