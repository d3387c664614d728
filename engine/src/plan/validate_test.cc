// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace tester {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::vector<PortLimits>& Ports() {
  static const std::vector<PortLimits> ports = {{.name = "p1", .max_frame_bytes = 1518},
                                                {.name = "p2", .max_frame_bytes = 128}};
  return ports;
}

v1::Job GoodJob() {
  v1::Job job;
  job.set_name("job");
  auto& stream = *job.add_streams();
  stream.set_id(1);
  stream.set_name("north");
  stream.set_tx_port("p1");
  stream.set_rx_port("p2");
  stream.add_frames(std::string(60, 'x'));
  stream.set_signature(true);
  stream.mutable_departures()->mutable_steady()->mutable_tick()->set_packets(1);
  stream.mutable_departures()->mutable_steady()->mutable_tick()->set_nanoseconds(1000);
  auto& responder = *job.add_neighbour_responders();
  responder.set_port("p2");
  auto& neighbour = *responder.add_neighbours();
  neighbour.set_address(std::string("\xc0\x00\x02\x01", 4));
  neighbour.set_mac(std::string("\x02\0\0\0\0\x01", 6));
  return job;
}

Job Validate(const v1::Job& job, std::span<const Job* const> loaded = {}) {
  Job valid = ValidateJob(job, Ports());
  CheckBeside(valid, {.ports = Ports(), .loaded = loaded});
  return valid;
}

// Expects that the good job, after `change`, is refused with `code` and a message with `words`.
void ExpectRefused(const std::function<void(v1::Job&)>& change, Code code,
                   const std::vector<std::string>& words, std::span<const Job* const> loaded = {}) {
  v1::Job job = GoodJob();
  change(job);
  try {
    Validate(job, loaded);
    ADD_FAILURE() << "accepted: " << job.ShortDebugString();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    for (const auto& word : words) EXPECT_THAT(error.what(), HasSubstr(word));
  }
}

TEST(ValidateJob, TakesAGoodOne) {
  const Job job = Validate(GoodJob());
  ASSERT_EQ(job.streams.size(), 1U);
  EXPECT_EQ(job.streams[0].id, 1);
  EXPECT_EQ(job.streams[0].tx_port, 0);
  EXPECT_EQ(job.streams[0].rx_port, 1);
  EXPECT_EQ(job.streams[0].departures->offset_ns(), 0U);
  ASSERT_EQ(job.neighbours.size(), 1U);
  EXPECT_EQ(job.neighbours[0].port, 1);
}

TEST(ValidateJob, LimitsAreInclusive) {
  for (const size_t bytes : {60, 1514}) {
    v1::Job job = GoodJob();
    *job.mutable_streams(0)->mutable_frames(0) = (std::string(bytes, 'x'));
    EXPECT_EQ(Validate(job).streams[0].contents.frames[0].size(), bytes);
  }
  v1::Job job = GoodJob();
  job.set_name(std::string(128, 'n'));
  job.mutable_streams(0)->set_id(65535);
  job.mutable_streams(0)->mutable_departures()->mutable_steady()->mutable_tick()->set_packets(1000);
  EXPECT_EQ(Validate(job).streams[0].id, 65535);
}

TEST(ValidateJob, RefusesNames) {
  for (const std::string& name : {std::string(), std::string(129, 'n'), std::string("a\nb")}) {
    ExpectRefused([&](v1::Job& job) { job.set_name(name); }, Code::kInvalidArgument,
                  {"job name", "1 to 128 printable ASCII"});
  }
}

TEST(ValidateJob, RefusesStreams) {
  const auto stream = [](v1::Job& job) { return job.mutable_streams(0); };
  for (const uint32_t id : {0U, 65536U}) {
    ExpectRefused([&](v1::Job& job) { stream(job)->set_id(id); }, Code::kInvalidArgument,
                  {"id " + std::to_string(id), "1 to 65535"});
  }
  ExpectRefused([&](v1::Job& job) { stream(job)->set_tx_port("p9"); }, Code::kNotFound,
                {"north", "tx_port", "\"p9\"", "\"p1\", \"p2\""});
  ExpectRefused([&](v1::Job& job) { stream(job)->set_rx_port("p9"); }, Code::kNotFound,
                {"rx_port"});
  ExpectRefused([&](v1::Job& job) { stream(job)->set_tx_port(""); }, Code::kInvalidArgument,
                {"no tx_port and no sender_clock"});
  for (const size_t bytes : {0, 59, 1515}) {
    ExpectRefused(
        [&](v1::Job& job) { *stream(job)->mutable_frames(0) = (std::string(bytes, 'x')); },
        Code::kInvalidArgument, {std::to_string(bytes) + " bytes", "60 to 1514"});
  }
}

TEST(ValidateJob, RefusesRates) {
  for (const auto& rate :
       std::vector<std::pair<uint64_t, uint64_t>>{{0, 1}, {1, 0}, {2, 1}, {UINT64_MAX, 1}}) {
    ExpectRefused(
        [&](v1::Job& job) {
          auto& tick =
              *job.mutable_streams(0)->mutable_departures()->mutable_steady()->mutable_tick();
          tick.set_packets(rate.first);
          tick.set_nanoseconds(rate.second);
        },
        Code::kInvalidArgument, {std::to_string(rate.first) + " packets", "at most 1"});
  }
}

TEST(ValidateJob, RefusesNeighbours) {
  const auto neighbour = [](v1::Job& job) {
    return job.mutable_neighbour_responders(0)->mutable_neighbours(0);
  };
  ExpectRefused([&](v1::Job& job) { neighbour(job)->set_address("12345"); }, Code::kInvalidArgument,
                {"5 bytes", "4 (IPv4) and 16 (IPv6)"});
  ExpectRefused([&](v1::Job& job) { neighbour(job)->set_mac("12345"); }, Code::kInvalidArgument,
                {"5 bytes", "unicast", "192.0.2.1"});
  ExpectRefused([&](v1::Job& job) { neighbour(job)->set_mac(std::string(6, '\xff')); },
                Code::kInvalidArgument, {"ff:ff:ff:ff:ff:ff", "unicast"});
  ExpectRefused([](v1::Job& job) { job.mutable_neighbour_responders(0)->set_port("p9"); },
                Code::kNotFound, {"neighbour responder", "\"p9\""});
}

TEST(ValidateJob, RefusesWhatIsGivenTwice) {
  ExpectRefused([](v1::Job& job) { *job.add_streams() = job.streams(0); }, Code::kInvalidArgument,
                {"stream id 1", "twice"});
  ExpectRefused(
      [](v1::Job& job) {
        auto& responder = *job.mutable_neighbour_responders(0);
        *responder.add_neighbours() = responder.neighbours(0);
      },
      Code::kInvalidArgument, {"192.0.2.1", "\"p2\"", "twice"});
}

TEST(ValidateJob, RefusesWhatAnotherJobHas) {
  const Job other = [] {
    v1::Job job = GoodJob();
    job.set_name("other");
    return Validate(job);
  }();
  const std::vector<const Job*> loaded = {&other};
  ExpectRefused([](v1::Job& job) { job.set_name("other"); }, Code::kAlreadyExists,
                {"\"other\"", "already loaded"}, loaded);
  ExpectRefused([](v1::Job&) {}, Code::kAlreadyExists, {"stream id 1", "\"other\""}, loaded);
  ExpectRefused(
      [](v1::Job& job) {
        job.mutable_streams(0)->set_id(2);
        job.mutable_neighbour_responders(0)->mutable_neighbours(0)->set_mac("\x02mac!!");
      },
      Code::kAlreadyExists, {"192.0.2.1", "\"p2\"", "\"other\""}, loaded);
}

TEST(ValidateJob, JobsMayShareANeighbourThatTheyAnswerAlike) {
  v1::Job job = GoodJob();
  job.set_name("other");
  const Job other = Validate(job);
  const std::vector<const Job*> loaded = {&other};
  job = GoodJob();
  job.mutable_streams(0)->set_id(2);
  EXPECT_EQ(Validate(job, loaded).neighbours.size(), 1U);
  ExpectRefused(
      [](v1::Job& twice) {
        twice.mutable_streams(0)->set_id(2);
        auto& responder = *twice.mutable_neighbour_responders(0);
        *responder.add_neighbours() = responder.neighbours(0);
      },
      Code::kInvalidArgument, {"192.0.2.1", "twice"}, loaded);
}

TEST(ValidateJob, RefusesMoreStreamsThanThereIsRoomFor) {
  ExpectRefused(
      [](v1::Job& job) {
        const v1::Stream stream = job.streams(0);
        for (uint32_t id = 2; id <= kMaxStreams + 1; ++id) {
          *job.add_streams() = stream;
          job.mutable_streams(static_cast<int>(id) - 1)->set_id(id);
        }
      },
      Code::kResourceExhausted, {"4097", "max_streams is 4096"});
}

TEST(ValidateInject, LimitsLengthAndNumber) {
  v1::InjectRequest request;
  request.set_port("p2");
  for (const size_t bytes : {14, 124}) request.add_frames(std::string(bytes, 'x'));
  EXPECT_NO_THROW(ValidateInject(request, Ports()[1]));
  for (const size_t bytes : {13, 125}) {
    v1::InjectRequest bad = request;
    bad.add_frames(std::string(bytes, 'x'));
    EXPECT_THROW(ValidateInject(bad, Ports()[1]), Error) << bytes;
  }
  while (request.frames_size() <= 1024) request.add_frames(std::string(60, 'x'));
  try {
    ValidateInject(request, Ports()[1]);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kResourceExhausted);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("1025"), HasSubstr("1024")));
  }
}

TEST(ValidateResolve, TakesBothFamiliesAndNoMixture) {
  v1::ResolveRequest request;
  request.set_port("p1");
  request.set_source_mac(std::string("\x02\0\0\0\0\x01", 6));
  for (const size_t bytes : {4, 16}) {
    request.set_address(std::string(bytes, 'a'));
    request.set_source_address(std::string(bytes, 'b'));
    request.set_vlan(4094);
    EXPECT_EQ(ValidateResolve(request).vlan, 4094);
  }
  v1::ResolveRequest mixed = request;
  mixed.set_address("abcd");
  EXPECT_THROW(ValidateResolve(mixed), Error);
  v1::ResolveRequest tagged = request;
  tagged.set_vlan(4095);
  EXPECT_THROW(ValidateResolve(tagged), Error);
  v1::ResolveRequest group = request;
  group.set_source_mac(std::string("\x01\0\0\0\0\x01", 6));
  EXPECT_THROW(ValidateResolve(group), Error);
}

}  // namespace
}  // namespace tester
