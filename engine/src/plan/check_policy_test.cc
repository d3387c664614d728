// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Plans checked against the policy of their port.
#include "plan/check_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "plan/validate.h"
#include "wire/ethernet.h"

namespace tester {
namespace {

using testing::HasSubstr;

constexpr uint32_t kDestinationBit = 8 * 30;

class CheckPolicyTest : public testing::Test {
 protected:
  CheckPolicyTest() {
    stream_.set_id(1);
    stream_.set_name("north");
    stream_.set_tx_port("a");
    stream_.set_rx_port("b");
    std::string frame(60, '\0');
    frame[12] = 8;
    frame[14] = 0x45;
    frame.replace(26, 8, std::string{10, 0, 0, 1, 10, 0, 1, 0});
    stream_.add_frames(frame);
    Steadily(1, 1000);
  }

  void Steadily(uint64_t packets, uint64_t ns) {
    auto& tick = *stream_.mutable_departures()->mutable_steady()->mutable_tick();
    tick.set_packets(packets);
    tick.set_nanoseconds(ns);
  }

  v1::Editor& Edit(uint32_t bit, uint32_t bits) {
    auto& editor = *stream_.add_editors();
    editor.set_bit_offset(bit);
    editor.set_bits(bits);
    editor.set_every(1);
    return editor;
  }

  void Step(v1::Editor& editor, uint64_t first, int64_t increment, uint64_t count) {
    editor.mutable_step()->set_first(first);
    editor.mutable_step()->set_increment(increment);
    editor.mutable_step()->set_count(count);
  }

  // Empty: it is allowed.
  std::string Refusal(const std::string& policy) {
    std::istringstream text(policy);
    const auto parsed = std::make_shared<const Policy>(ParsePolicy(text, "policy"));
    const std::vector<PortLimits> ports = {
        {.name = "a", .max_frame_bytes = 1518, .policy = parsed},
        {.name = "b", .max_frame_bytes = 1518, .policy = parsed}};
    v1::Job job;
    job.set_name("job");
    *job.add_streams() = stream_;
    try {
      const Job valid = ValidateJob(job, ports);
      CheckBeside(valid, {.ports = ports, .loaded = {}});
      const Job* beside = &valid;
      job.set_name("second");
      job.mutable_streams(0)->set_id(2);
      if (twice_) CheckBeside(ValidateJob(job, ports), {.ports = ports, .loaded = {&beside, 1}});
    } catch (const Error& error) {
      code_ = error.code();
      return error.what();
    }
    return {};
  }

  v1::Stream stream_;
  bool twice_ = false;
  Code code_ = Code::kInternal;
};

TEST_F(CheckPolicyTest, ATemplateIsHeldAgainstIt) {
  EXPECT_EQ(Refusal("destination 10.0.1.0"), "");
  EXPECT_EQ(
      Refusal("destination 10.0.2.0/24"),
      "job \"job\", stream 1 \"north\", frame 0: destination IPv4 address 10.0.1.0 may not be "
      "sent; the policy of this tester allows 10.0.2.0/24");
  EXPECT_EQ(code_, Code::kInvalidArgument);
  EXPECT_THAT(Refusal("source 10.0.0.2"), HasSubstr("source IPv4 address 10.0.0.1"));
}

TEST_F(CheckPolicyTest, ALongStepIsKnownByItsEnds) {
  Step(Edit(kDestinationBit, 32), 0x0a000100, 1, 65'536);
  EXPECT_EQ(Refusal("destination 10.0.0.0/15"), "");
  EXPECT_THAT(Refusal("destination 10.0.1.0/24"),
              HasSubstr("frame 0, editor 0: destination IPv4 address 10.0.2.0 may not be sent"));
}

TEST_F(CheckPolicyTest, AStepThatFallsOrWrapsIsFollowed) {
  auto& editor = Edit(kDestinationBit, 32);
  Step(editor, 0x0a000100, -1, 10'000);
  EXPECT_THAT(Refusal("destination 10.0.0.0/8"), HasSubstr("9.255.217.241"));
  Step(editor, 0xffffffff, 1, 10'000);
  EXPECT_THAT(Refusal("destination 255.255.255.255"), HasSubstr("0.0.0.0"));
  Step(editor, 0x0a000100, INT64_MIN, 3);  // a multiple of 2^32
  EXPECT_EQ(Refusal("destination 10.0.1.0"), "");
}

TEST_F(CheckPolicyTest, EachOfAFewValuesCountsByItself) {
  auto& values = *Edit(kDestinationBit, 32).mutable_values();
  values.add_values(0x0a000101);
  values.add_values(0x0a000301);
  EXPECT_EQ(Refusal("destination 10.0.1.0/24\ndestination 10.0.3.0/24"), "");
  values.add_values(0x0a000201);
  EXPECT_THAT(Refusal("destination 10.0.1.0/24\ndestination 10.0.3.0/24"), HasSubstr("10.0.2.1"));
}

TEST_F(CheckPolicyTest, RandomBitsMayBeAnyOfThem) {
  auto& random = *Edit(kDestinationBit + 16, 16).mutable_random_bits();
  random.set_base(0x0100);
  random.set_mask(0x00ff);
  EXPECT_EQ(Refusal("destination 10.0.1.0/24"), "");
  random.set_mask(0x01ff);
  EXPECT_THAT(Refusal("destination 10.0.1.0/24"), HasSubstr("10.0.0.0"));
}

TEST_F(CheckPolicyTest, AFieldThatBeginsBeforeAnAddressOrEndsBehindItCounts) {
  Step(Edit(kDestinationBit - 8, 16), 0x010a, 0x100, 2);  // the last byte of the source, too
  EXPECT_EQ(Refusal("destination 10.0.1.0\nsource 10.0.0.0/24"), "");
  EXPECT_THAT(Refusal("source 10.0.0.1"), HasSubstr("10.0.0.2"));
  stream_.clear_editors();
  Step(Edit(kDestinationBit + 24, 16), 0, 0x100, 3);  // and the first byte of UDP's port
  EXPECT_EQ(Refusal("destination 10.0.1.0-10.0.1.2"), "");
  EXPECT_THAT(Refusal("destination 10.0.1.0-10.0.1.1"), HasSubstr("10.0.1.2"));
}

TEST_F(CheckPolicyTest, SeveralFieldsOfAnAddressAreTakenTogether) {
  Step(Edit(kDestinationBit + 16, 8), 1, 1, 2);
  Step(Edit(kDestinationBit + 24, 8), 0, 1, 5);
  EXPECT_EQ(Refusal("destination 10.0.1.0-10.0.2.4"), "");
  EXPECT_THAT(Refusal("destination 10.0.1.0-10.0.2.3"), HasSubstr("10.0.2.4"));
}

TEST_F(CheckPolicyTest, WhatSaysWhereAddressesAreMayNotChange) {
  Step(Edit(8 * 12, 16), 0x800, 1, 2);
  EXPECT_THAT(Refusal("destination 10.0.1.0"),
              HasSubstr("editor 0: it changes bits 96 to 111, by which the policy"));
  stream_.clear_editors();
  Step(Edit(8 * 14 + 4, 4), 5, 1, 2);
  EXPECT_THAT(Refusal("destination 10.0.1.0"), HasSubstr("changes bits 116 to 119"));
}

TEST_F(CheckPolicyTest, RatesOfAllThatIsLoadedAreSummedUp) {
  Steadily(1, 1'000'000);
  EXPECT_EQ(Refusal("rate a 1000 pps"), "");
  EXPECT_EQ(Refusal("rate b 1 pps"), "");
  EXPECT_EQ(
      Refusal("rate * 999 pps"),
      "job \"job\": port \"a\" would send up to 1000 pps with all that is loaded; the policy of "
      "this tester allows 999 pps");
  EXPECT_EQ(code_, Code::kResourceExhausted);
  EXPECT_THAT(Refusal("rate a 511999 bps"), HasSubstr("512000 bps"));
  EXPECT_EQ(Refusal("rate a 512000 bps"), "");
  twice_ = true;
  EXPECT_THAT(Refusal("rate a 1999 pps"),
              HasSubstr("job \"second\": port \"a\" would send up to 2000"));
  EXPECT_EQ(Refusal("rate a 2000 pps"), "");
}

TEST_F(CheckPolicyTest, TheFullestSecondCounts) {
  auto& profile = *stream_.mutable_departures()->mutable_profile();
  const auto stretch = [&](uint64_t ns, uint64_t packets) {
    auto& added = *profile.add_stretches();
    added.set_duration_ns(ns);
    added.set_packets(packets);
  };
  stretch(700'000'000, 7);
  stretch(300'000'000, 300);
  stretch(2'000'000'000, 0);
  stretch(400'000'000, 400);
  profile.set_repeat(true);
  EXPECT_THAT(Refusal("rate a 1 pps"), HasSubstr("up to 406 pps"));  // 400, and 6 of the next run
  stream_.mutable_departures()->mutable_random()->set_exponential_mean_ns(1'000'000);
  EXPECT_THAT(Refusal("rate a 1 pps"), HasSubstr("up to 1127 pps"));
}

TEST_F(CheckPolicyTest, AScriptOfBurstsCountsThemAll) {
  auto& script = *stream_.mutable_departures()->mutable_script();
  for (const uint64_t pause : {uint64_t{1'500'000'000}, uint64_t{400'000'000}}) {
    auto& message = *script.add_messages();
    message.set_pause_ns(pause);
    message.set_packets(100);
    message.set_gap_ns(1000);
  }
  script.set_repeat(true);
  EXPECT_THAT(Refusal("rate a 1 pps"), HasSubstr("up to 200 pps"));
}

}  // namespace
}  // namespace tester
