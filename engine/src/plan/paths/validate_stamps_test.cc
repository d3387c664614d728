// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/paths/validate_stamps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "plan/job.h"
#include "plan/validate.h"

namespace tester {
namespace {

using testing::HasSubstr;

v1::Stamps Sound() {
  v1::Stamps stamps;
  stamps.set_name("load");
  stamps.mutable_before()->set_job("one");
  stamps.mutable_before()->set_path("north");
  stamps.mutable_behind()->set_job("other");
  stamps.mutable_behind()->set_path("south");
  stamps.mutable_in_packet()->set_mtu(1500);
  stamps.set_timeout_ns(1'000'000);
  stamps.set_flows(100);
  stamps.set_interval_ns(1'000'000);
  stamps.set_intervals(10);
  return stamps;
}

std::string RefusalOf(const std::function<void(v1::Stamps&)>& change) {
  v1::Stamps stamps = Sound();
  change(stamps);
  try {
    ValidateStamps(stamps, "job");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument) << error.what();
    return error.what();
  }
  return "not refused";
}

TEST(ValidateStamps, TakesGoodOnes) {
  const auto plan = ValidateStamps(Sound(), "job");
  EXPECT_EQ(plan->before.path, "north");
  EXPECT_EQ(plan->behind.job, "other");
  EXPECT_FALSE(plan->by_match);
  v1::Stamps matched = Sound();
  matched.mutable_by_kept()->set_fields(16 + 128);
  matched.mutable_by_kept()->set_under_way(64);
  matched.set_flows(1 << 20);
  EXPECT_TRUE(ValidateStamps(matched, "job")->by_match);
}

TEST(ValidateStamps, RefusesWhatCanNeverBeRight) {
  EXPECT_THAT(RefusalOf([](auto& s) { s.set_name(""); }), HasSubstr("name"));
  EXPECT_THAT(RefusalOf([](auto& s) { *s.mutable_behind() = s.before(); }),
              HasSubstr("both of its paths"));
  EXPECT_THAT(RefusalOf([](auto& s) { s.clear_mode(); }), HasSubstr("no mode"));
  EXPECT_THAT(RefusalOf([](auto& s) { s.mutable_in_packet()->set_mtu(67); }), HasSubstr("mtu 67"));
  EXPECT_THAT(RefusalOf([](auto& s) { s.set_flows(0); }), HasSubstr("flows 0"));
  EXPECT_THAT(RefusalOf([](auto& s) { s.set_flows(65'536); }), HasSubstr("flows 65536"));
  EXPECT_THAT(RefusalOf([](auto& s) { s.set_timeout_ns(0); }), HasSubstr("timeout_ns 0"));
  EXPECT_THAT(RefusalOf([](auto& s) { s.set_interval_ns(999'999); }), HasSubstr("interval_ns"));
  EXPECT_THAT(RefusalOf([](auto& s) { s.set_intervals(0); }), HasSubstr("intervals 0"));
  EXPECT_THAT(RefusalOf([](auto& s) { s.add_matches()->set_mask("a"); }), HasSubstr("matches"));
  const auto kept = [](uint32_t fields, uint32_t under_way) {
    return RefusalOf([&](auto& s) {
      s.mutable_by_kept()->set_fields(fields);
      s.mutable_by_kept()->set_under_way(under_way);
    });
  };
  EXPECT_THAT(kept(0, 64), HasSubstr("fields 0"));
  EXPECT_THAT(kept(256, 64), HasSubstr("fields 256"));
  EXPECT_THAT(kept(15, 64), HasSubstr("no two packets of a flow apart"));
  EXPECT_THAT(kept(16, 63), HasSubstr("under_way 63"));
}

TEST(ValidateStamps, ChecksTheirPaths) {
  const std::vector<PortLimits> ports = {{.name = "a", .max_frame_bytes = 1522},
                                         {.name = "b", .max_frame_bytes = 1522},
                                         {.name = "c", .max_frame_bytes = 1522},
                                         {.name = "d", .max_frame_bytes = 1522, .worker = 1}};
  const auto job = [](const std::string& name, const std::string& path, uint16_t first) {
    auto plan = std::make_shared<PathPlan>();
    plan->name = path;
    plan->first_port = first;
    plan->second_port = first;
    return Job{.name = name, .streams = {}, .neighbours = {}, .paths = {plan}};
  };
  const auto code_of = [&](const Job& stamps, const std::vector<const Job*>& loaded) {
    try {
      CheckStamps(stamps, {.ports = ports, .loaded = loaded});
    } catch (const Error& error) {
      return error.code();
    }
    return Code::kInternal;
  };
  const Job one = job("one", "north", 0);
  const Job other = job("other", "south", 1);
  const Job far = job("other", "south", 3);
  const Job stamps{
      .name = "job", .streams = {}, .neighbours = {}, .stamps = {ValidateStamps(Sound(), "job")}};
  EXPECT_EQ(code_of(stamps, {&one, &other}), Code::kInternal) << "not refused";
  EXPECT_EQ(code_of(stamps, {&one}), Code::kNotFound);
  EXPECT_EQ(code_of(stamps, {&one, &far}), Code::kFailedPrecondition);
  EXPECT_EQ(code_of(stamps, {&one, &other, &stamps}), Code::kAlreadyExists);
  Job twice = stamps;
  twice.stamps.push_back(twice.stamps.front());
  EXPECT_EQ(code_of(twice, {&one, &other}), Code::kInvalidArgument);
}

}  // namespace
}  // namespace tester
