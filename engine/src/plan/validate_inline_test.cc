// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/validate_inline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "plan/job.h"
#include "plan/validate.h"

namespace tester {
namespace {

using testing::HasSubstr;

const std::vector<PortLimits> kPorts = {{.name = "a", .max_frame_bytes = 1522},
                                        {.name = "b", .max_frame_bytes = 1522},
                                        {.name = "c", .max_frame_bytes = 1522, .worker = 1}};

v1::Path Sound() {
  v1::Path path;
  path.set_name("wan");
  path.set_first_port("a");
  path.set_second_port("b");
  auto& match = *path.add_watches()->add_matches();
  match.set_offset(12);
  match.set_mask("\xff\xff");
  match.set_value(std::string("\x08\x00", 2));
  path.add_watches();
  auto& event = *path.add_events();
  event.set_name("one");
  event.set_flow(1);
  event.set_number(20);
  event.set_iteration(2);
  event.mutable_drop();
  return path;
}

std::string RefusalOf(const std::function<void(v1::Path&)>& change,
                      Code code = Code::kInvalidArgument) {
  v1::Path path = Sound();
  change(path);
  try {
    ValidatePath(path, "job", kPorts);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  return "not refused";
}

Job JobWith(const std::string& name, const v1::Path& path) {
  v1::Job job;
  job.set_name(name);
  *job.add_paths() = path;
  return ValidateJob(job, kPorts);
}

TEST(ValidateInline, TakesWhatIsSound) {
  const auto plan = ValidatePath(Sound(), "job", kPorts);
  EXPECT_EQ(plan->first_port, 0);
  EXPECT_EQ(plan->second_port, 1);
  ASSERT_EQ(plan->watches.size(), 2U);
  EXPECT_EQ(plan->watches[0].size(), 2U);
  EXPECT_TRUE(plan->watches[1].empty());
  const auto& number = std::get<ByNumber>(plan->events[0].selection);
  EXPECT_EQ(number.number, 20U);
  EXPECT_EQ(number.iteration, 2U);
}

TEST(ValidateInline, RefusesWhatCanNeverBeRight) {
  const auto first = [](v1::Path& path) -> v1::Event& { return *path.mutable_events(0); };
  EXPECT_THAT(RefusalOf([](auto& path) { path.clear_name(); }), HasSubstr("allowed are 1 to 128"));
  EXPECT_THAT(RefusalOf([](auto& path) { path.set_second_port("a"); }),
              HasSubstr("both of its ends"));
  EXPECT_THAT(RefusalOf([](auto& path) { path.set_second_port("z"); }, Code::kNotFound),
              HasSubstr("no port \"z\""));
  EXPECT_THAT(RefusalOf([&](auto& path) { first(path).set_watch(2); }), HasSubstr("watch 2 of 2"));
  EXPECT_THAT(RefusalOf([&](auto& path) { first(path).set_number(0); }), HasSubstr("number 0"));
  EXPECT_THAT(RefusalOf([&](auto& path) { first(path).set_iteration(0); }),
              HasSubstr("iteration 0"));
  EXPECT_THAT(RefusalOf([&](auto& path) { first(path).set_every(3); }),
              HasSubstr("an iteration without a number"));
  EXPECT_THAT(RefusalOf([&](auto& path) {
                first(path).clear_iteration();
                first(path).clear_number();
              }),
              HasSubstr("selects no packet"));
  EXPECT_THAT(RefusalOf([&](auto& path) { first(path).clear_drop(); }),
              HasSubstr("nothing happens"));
  EXPECT_THAT(RefusalOf([&](auto& path) { first(path).mutable_truncate()->set_bytes(59); }),
              HasSubstr("bytes 59; allowed are 60"));
  EXPECT_THAT(RefusalOf([&](auto& path) {
                first(path).mutable_corrupt()->set_part(static_cast<v1::Corrupt::Part>(9));
              }),
              HasSubstr("part 9"));
  EXPECT_THAT(
      RefusalOf([&](auto& path) { first(path).set_heading(static_cast<v1::Event::Heading>(-1)); }),
      HasSubstr("heading"));
  EXPECT_THAT(RefusalOf([&](auto& path) { *path.add_events() = first(path); }),
              HasSubstr("given twice"));
  EXPECT_THAT(RefusalOf([&](auto& path) { first(path).set_flow(65'537); }), HasSubstr("flow"));
  EXPECT_THAT(RefusalOf(
                  [](auto& path) {
                    for (int i = 0; i < 17; ++i) path.add_watches();
                  },
                  Code::kResourceExhausted),
              HasSubstr("watches"));
}

TEST(ValidateInline, PortsOfAPathAreItsOwn) {
  const Job path = JobWith("path", Sound());
  const Job* const loaded = &path;
  const auto code_of = [](const Job& job, std::span<const Job* const> beside) {
    try {
      CheckPaths(job, {.ports = kPorts, .loaded = beside});
    } catch (const Error& error) {
      return error.code();
    }
    return Code::kInternal;
  };
  EXPECT_EQ(code_of(path, {}), Code::kInternal) << "not refused";
  EXPECT_EQ(code_of(JobWith("other", Sound()), {&loaded, 1}), Code::kAlreadyExists);
  Job streams{.name = "streams", .streams = {}, .neighbours = {}};
  StreamPlan stream{};
  stream.tx_port = 2;
  stream.rx_port = 1;
  streams.streams.push_back(stream);
  const Job* const sending = &streams;
  EXPECT_EQ(code_of(streams, {&loaded, 1}), Code::kAlreadyExists);
  EXPECT_EQ(code_of(path, {&sending, 1}), Code::kAlreadyExists);
  v1::Path far = Sound();
  far.set_second_port("c");
  EXPECT_EQ(code_of(JobWith("far", far), {}), Code::kFailedPrecondition)
      << "its ports are of different workers";
}

}  // namespace
}  // namespace tester
