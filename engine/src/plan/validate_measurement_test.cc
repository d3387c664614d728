// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/validate_measurement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "plan/validate.h"

namespace tester {
namespace {

using testing::HasSubstr;

v1::Stream Signed() {
  v1::Stream stream;
  stream.set_id(1);
  stream.set_name("north");
  stream.set_tx_port("a");
  stream.set_rx_port("a");
  stream.add_frames(std::string(60, '\0'));
  stream.set_signature(true);
  auto& tick = *stream.mutable_departures()->mutable_steady()->mutable_tick();
  tick.set_packets(1);
  tick.set_nanoseconds(1000);
  return stream;
}

v1::Stream Matched(const std::string& value) {
  v1::Stream stream = Signed();
  stream.set_signature(false);
  auto& match = *stream.add_matches();
  match.set_offset(30);
  match.set_mask(std::string(value.size(), '\xff'));
  match.set_value(value);
  return stream;
}

void ExpectRefused(v1::Stream stream, const std::function<void(v1::Stream&)>& change,
                   const std::vector<std::string>& words) {
  change(stream);
  try {
    ValidateMeasurement(stream, {}, "stream 1");
    ADD_FAILURE() << "accepted: " << stream.ShortDebugString();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_THAT(error.what(), HasSubstr("stream 1"));
    for (const auto& word : words) EXPECT_THAT(error.what(), HasSubstr(word));
  }
}

TEST(ValidateMeasurement, NothingIsAsked) {
  const MeasurementPlan plan = ValidateMeasurement(Signed(), {}, "");
  EXPECT_FALSE(plan.version.exists());
  EXPECT_EQ(plan.flows, 0U);
  EXPECT_TRUE(plan.matches.empty());
  EXPECT_NE(plan.integrity, nullptr);
  EXPECT_TRUE(plan.integrity->sends_one());
}

TEST(ValidateMeasurement, TakesAVersion) {
  v1::Stream stream = Signed();
  stream.mutable_version()->set_bit_offset(18 * 8);
  const VersionBit version = ValidateMeasurement(stream, {}, "").version;
  std::vector<uint8_t> frame(60);
  EXPECT_EQ(version.Of(frame), 0U);
  frame[18] = 0x80;
  EXPECT_EQ(version.Of(frame), 1U);
  EXPECT_EQ(version.Of(Frame(frame).first(18)), 0U) << "cut short";
}

TEST(ValidateMeasurement, RefusesFlows) {
  v1::Stream most = Signed();
  most.set_flows(kMaxFlows);
  EXPECT_EQ(ValidateMeasurement(most, {}, "").flows, kMaxFlows);
  ExpectRefused(Signed(), [](auto& s) { s.set_flows(kMaxFlows + 1); }, {"4194305", "4194304"});
  ExpectRefused(Signed(),
                [](auto& s) {
                  s.set_flows(1);
                  s.set_signature(false);
                },
                {"flows 1", "signature"});
}

TEST(ValidateMeasurement, TakesMatchesOfTheSameByte) {
  v1::Stream stream = Matched("\x10");
  stream.mutable_matches(0)->set_mask("\xf0");
  auto& more = *stream.add_matches();
  more.set_offset(29);
  more.set_mask(std::string("\0\x0f", 2));
  more.set_value(std::string("\0\x02", 2));
  const Matches matches = ValidateMeasurement(stream, {}, "").matches;
  ASSERT_EQ(matches.size(), 1U);
  EXPECT_EQ(matches[0].offset, 30U);
  EXPECT_EQ(matches[0].mask, 0xff);
  EXPECT_EQ(matches[0].value, 0x12);
}

TEST(ValidateMeasurement, RefusesMatches) {
  const auto match = [](v1::Stream& stream) { return stream.mutable_matches(0); };
  ExpectRefused(Matched("x"), [](auto& s) { s.set_signature(true); }, {"signature"});
  ExpectRefused(Matched("x"), [&](auto& s) { match(s)->set_mask(""); }, {"match 0", "1 to 64"});
  ExpectRefused(Matched(std::string(65, 'x')), [](auto&) {}, {"65", "1 to 64"});
  ExpectRefused(Matched("x"), [&](auto& s) { match(s)->set_value("xy"); }, {"same length"});
  ExpectRefused(Matched("xx"), [&](auto& s) { match(s)->set_mask("\xff\x01"); }, {"byte 1"});
  ExpectRefused(Matched("x"), [&](auto& s) { match(s)->set_offset(65536); }, {"65536", "65535"});
  ExpectRefused(Matched("x"), [&](auto& s) { *s.add_matches() = Matched("y").matches(0); },
                {"match 1", "byte 30"});
  ExpectRefused(Matched("x"),
                [&](auto& s) {
                  match(s)->set_mask(std::string(1, '\0'));
                  match(s)->set_value(std::string(1, '\0'));
                },
                {"0 bytes", "1 to 128"});
}

TEST(ValidateMeasurement, RefusesPayloads) {
  ExpectRefused(Signed(), [](auto& s) { s.set_payload_offset(45); }, {"payload_offset 45", "44"});
  ExpectRefused(Signed(),
                [](auto& s) {
                  s.set_payload_offset(42);
                  s.set_signature(false);
                },
                {"payload_offset 42", "signature"});
  ExpectRefused(Signed(),
                [](auto& s) {
                  s.set_payload_offset(42);
                  s.add_editors()->set_bit_offset(42 * 8);
                  s.mutable_editors(0)->set_bits(1);
                },
                {"payload_offset 42", "43 to 44"});
}

TEST(ValidateMeasurement, RefusesKeptHeaders) {
  ExpectRefused(Signed(), [](auto& s) { s.set_kept_headers(std::string(45, 'x')); },
                {"kept_headers of 45 bytes", "44"});
  ExpectRefused(Matched("x"), [](auto& s) { s.set_kept_headers("x"); },
                {"kept_headers", "signature"});
}

TEST(ValidateMeasurement, KeepsHeadersButForWhatChanges) {
  v1::Stream stream = Signed();
  stream.set_kept_headers(std::string(20, '\xff'));
  stream.mutable_version()->set_bit_offset(18 * 8);
  auto& editor = *stream.add_editors();
  editor.set_bit_offset(17 * 8);
  editor.set_bits(8);
  const auto integrity = ValidateMeasurement(stream, {}, "").integrity;
  EXPECT_FALSE(integrity->sends_one());
  const auto look = [&](size_t at, uint8_t change) {
    std::vector<uint8_t> frame(stream.frames(0).begin(), stream.frames(0).end());
    frame[at] = static_cast<uint8_t>(frame[at] ^ change);
    OrderPlace place;
    return integrity->Look(place, true, 0,
                           {.frame = frame,
                            .bytes = frame.size(),
                            .end = frame.size(),
                            .signature = frame.data() + frame.size() - wire::kSignatureBytes});
  };
  EXPECT_EQ(look(16, 1), Damage::kHeaders);
  EXPECT_EQ(look(17, 1), Damage::kNone) << "an editor's";
  EXPECT_EQ(look(18, 0x80), Damage::kNone) << "the version";
  EXPECT_EQ(look(18, 0x40), Damage::kHeaders);
  EXPECT_EQ(look(20, 1), Damage::kNone) << "not kept";
}

Job JobOf(const std::string& name, const std::vector<v1::Stream>& streams,
          const std::vector<const Job*>& loaded = {}) {
  v1::Job job;
  job.set_name(name);
  for (const auto& stream : streams) *job.add_streams() = stream;
  const std::vector<PortLimits> ports = {{.name = "a", .max_frame_bytes = 1518}};
  Job valid = ValidateJob(job, ports);
  CheckBeside(valid, {.ports = ports, .loaded = loaded});
  return valid;
}

Code CodeOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "not refused";
  return Code::kInternal;
}

TEST(CheckMeasurements, AFrameBelongsToOneStream) {
  v1::Stream other = Matched("x");
  other.set_id(2);
  EXPECT_EQ(CodeOf([&] { JobOf("job", {Matched("x"), other}); }), Code::kInvalidArgument);
  const Job loaded = JobOf("job", {Matched("x")});
  EXPECT_EQ(CodeOf([&] { JobOf("other", {other}, {&loaded}); }), Code::kAlreadyExists);
  other.mutable_matches(0)->set_value("y");
  EXPECT_EQ(JobOf("other", {other}, {&loaded}).streams.size(), 1U);
}

TEST(CheckMeasurements, ThereIsRoomForSoManyFlows) {
  v1::Stream stream = Signed();
  stream.set_flows(kMaxFlows);
  const Job loaded = JobOf("job", {stream});
  stream.set_id(2);
  stream.set_flows(1);
  EXPECT_EQ(CodeOf([&] { JobOf("other", {stream}, {&loaded}); }), Code::kResourceExhausted);
}

}  // namespace
}  // namespace tester
