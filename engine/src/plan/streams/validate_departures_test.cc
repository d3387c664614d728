// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/streams/validate_departures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "base/error.h"

namespace tester {
namespace {

using testing::HasSubstr;

void Set(v1::Rate& rate, uint64_t packets, uint64_t nanoseconds) {
  rate.set_packets(packets);
  rate.set_nanoseconds(nanoseconds);
}

void AddStage(v1::Departures& departures, uint64_t passes, uint64_t skips) {
  Set(*departures.mutable_steady()->mutable_tick(), 1, 10);
  auto& stage = *departures.mutable_steady()->add_stages();
  stage.set_passes(passes);
  stage.set_skips(skips);
}

void AddStretch(v1::Departures& departures, uint64_t duration_ns, uint64_t packets) {
  auto& stretch = *departures.mutable_profile()->add_stretches();
  stretch.set_duration_ns(duration_ns);
  stretch.set_packets(packets);
}

void AddMessage(v1::Departures& departures, uint64_t pause_ns, uint64_t packets, uint64_t gap_ns) {
  auto& message = *departures.mutable_script()->add_messages();
  message.set_pause_ns(pause_ns);
  message.set_packets(packets);
  message.set_gap_ns(gap_ns);
}

void SetQuantiles(v1::Departures& departures, const std::vector<double>& probabilities,
                  const std::vector<double>& gaps_ns) {
  auto& quantiles = *departures.mutable_random()->mutable_quantiles();
  quantiles.mutable_probabilities()->Assign(probabilities.begin(), probabilities.end());
  quantiles.mutable_gaps_ns()->Assign(gaps_ns.begin(), gaps_ns.end());
}

void SetOnOff(v1::Departures& departures, double on_ns, double off_ns) {
  auto& on_off = *departures.mutable_random()->mutable_on_off();
  Set(*on_off.mutable_rate(), 1, 10'000);
  on_off.set_on_mean_ns(on_ns);
  on_off.set_off_mean_ns(off_ns);
}

uint64_t FirstNs(const v1::Departures& departures) {
  return ValidateDepartures(departures, "here").Begin().due_ns;
}

void ExpectRefused(const v1::Departures& departures, const std::vector<std::string>& words) {
  try {
    ValidateDepartures(departures, "stream 7");
    ADD_FAILURE() << "accepted: " << departures.ShortDebugString();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_THAT(error.what(), HasSubstr("stream 7, departures"));
    for (const auto& word : words) EXPECT_THAT(error.what(), HasSubstr(word));
  }
}

TEST(ValidateDepartures, TakesEveryLaw) {
  v1::Departures departures;
  departures.set_offset_ns(77);
  AddStage(departures, 1, (uint64_t{1} << 32) - 2);
  EXPECT_EQ(ValidateDepartures(departures, "here").offset_ns(), 77U);
  AddStretch(departures, 5, 0);
  AddStretch(departures, 10, 10);
  EXPECT_EQ(FirstNs(departures), 5U);
  AddMessage(departures, 9, 1, 0);
  EXPECT_EQ(FirstNs(departures), 9U);
  departures.mutable_random()->set_exponential_mean_ns(1);
  EXPECT_EQ(FirstNs(departures), 0U);
  SetQuantiles(departures, {0, 0.5, 0.5, 1}, {0, 1, 3, 1e18});
  EXPECT_EQ(FirstNs(departures), 0U);
  SetOnOff(departures, 10, 1);
  EXPECT_NO_THROW(ValidateDepartures(departures, "here"));
}

TEST(ValidateDepartures, RefusesNoLaw) {
  ExpectRefused({}, {"no law", "steady"});
  v1::Departures departures;
  departures.mutable_random();
  ExpectRefused(departures, {"random", "no distribution"});
}

TEST(ValidateDepartures, RefusesStages) {
  v1::Departures departures;
  AddStage(departures, 0, 1);
  ExpectRefused(departures, {"stage 0", "passes 0"});
  departures.Clear();
  AddStage(departures, 1, (uint64_t{1} << 32) - 1);
  ExpectRefused(departures, {"stage 0", "below 2^32"});
  departures.Clear();
  AddStage(departures, UINT64_MAX, UINT64_MAX);
  ExpectRefused(departures, {"below 2^32"});
  departures.Clear();
  for (int i = 0; i < 9; ++i) AddStage(departures, 1, 1);
  ExpectRefused(departures, {"9 stages", "at most 8"});
}

TEST(ValidateDepartures, RefusesProfiles) {
  v1::Departures departures;
  departures.mutable_profile();
  ExpectRefused(departures, {"profile", "0 stretches", "1 to 65536"});
  AddStretch(departures, 10, 0);
  ExpectRefused(departures, {"no stretch has packets"});
  AddStretch(departures, 10, 11);
  ExpectRefused(departures, {"stretch 1", "11 packets in 10 ns"});
  departures.Clear();
  AddStretch(departures, 0, 0);
  ExpectRefused(departures, {"stretch 0", "must last 1 ns"});
  departures.Clear();
  for (int i = 0; i < 2; ++i) AddStretch(departures, uint64_t{1} << 62, 1);
  ExpectRefused(departures, {"nanoseconds", "2^63"});
}

TEST(ValidateDepartures, RefusesScripts) {
  v1::Departures departures;
  departures.mutable_script();
  ExpectRefused(departures, {"script", "0 messages"});
  AddMessage(departures, 1, 0, 1);
  ExpectRefused(departures, {"message 0", "no packets"});
  departures.Clear();
  AddMessage(departures, 0, 1, 5);
  departures.mutable_script()->set_repeat(true);
  ExpectRefused(departures, {"repeats", "sum up to 1 ns"});
  departures.mutable_script()->set_repeat(false);
  EXPECT_NO_THROW(ValidateDepartures(departures, "here"));
  AddMessage(departures, 0, uint64_t{1} << 40, uint64_t{1} << 40);
  ExpectRefused(departures, {"nanoseconds", "2^63"});
  departures.Clear();
  AddMessage(departures, 0, UINT64_MAX, 0);
  ExpectRefused(departures, {"packets", "2^63"});
}

TEST(ValidateDepartures, RefusesMeans) {
  v1::Departures departures;
  for (const double mean : {0.0, 0.5, -1.0, 1.1e18, std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()}) {
    departures.mutable_random()->set_exponential_mean_ns(mean);
    ExpectRefused(departures, {"exponential_mean_ns", "1 to 1e+18"});
  }
  SetOnOff(departures, 100, 0);
  ExpectRefused(departures, {"on_off", "off_mean_ns"});
  SetOnOff(departures, 9, 100);
  ExpectRefused(departures, {"on_mean_ns", "thousandth"});
}

TEST(ValidateDepartures, RefusesQuantiles) {
  const auto refuse = [](const std::vector<double>& probabilities, const std::vector<double>& gaps,
                         const std::vector<std::string>& words) {
    v1::Departures departures;
    SetQuantiles(departures, probabilities, gaps);
    ExpectRefused(departures, words);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refuse({0}, {5}, {"1 probabilities", "2 to 65536"});
  refuse({0, 1}, {5, 6, 7}, {"2 probabilities and 3 gaps"});
  refuse({0, 0.9}, {5, 6}, {"from 0 to 0.9", "end at 1"});
  refuse({0.1, 1}, {5, 6}, {"begin at 0"});
  refuse({0, 0.6, 0.4, 1}, {5, 6, 7, 8}, {"probability 2", "0.4 after 0.6"});
  refuse({0, nan, 1}, {5, 6, 7}, {"probability 1"});
  refuse({0, 1}, {6, 5}, {"gap 1", "5 after 6"});
  refuse({0, 1}, {-1, 5}, {"gap 0", "-1"});
  refuse({0, 1}, {0, 1}, {"mean gap of 0.5"});
}

}  // namespace
}  // namespace tester
