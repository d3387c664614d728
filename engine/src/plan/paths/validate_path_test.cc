// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/paths/validate_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
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

TEST(ValidateInline, TakesImpairments) {
  v1::Path path = Sound();
  auto& impairment = *path.add_impairments();
  impairment.set_heading(v1::Event::HEADING_BACKWARD);
  impairment.mutable_gilbert_elliott()->set_to_bad(5);
  impairment.mutable_shaper()->set_bits_per_second(10'000'000);
  impairment.mutable_shaper()->set_bytes(64'000);
  impairment.mutable_delay()->add_quantiles_ns(7);
  const auto plan = ValidatePath(path, "job", kPorts);
  EXPECT_FALSE(plan->impairments[0]);
  ASSERT_TRUE(plan->impairments[1]);
  EXPECT_EQ(std::get<GilbertElliottLoss>(plan->impairments[1]->loss).to_bad, 5U);
  EXPECT_EQ(plan->impairments[1]->shaper->queue_bytes, 64'000U);
  EXPECT_EQ(plan->impairments[1]->delay.quantiles_ns, std::vector<uint64_t>({7}));
  EXPECT_EQ(plan->hold_bytes, 16U << 20);
}

TEST(ValidateInline, RefusesImpairmentsThatCanNeverBeRight) {
  const auto refusal = [](const std::function<void(v1::Impairment&)>& change) {
    return RefusalOf([&](v1::Path& path) {
      auto& impairment = *path.add_impairments();
      impairment.set_heading(v1::Event::HEADING_FORWARD);
      impairment.mutable_shaper()->set_bits_per_second(10'000'000);
      impairment.mutable_shaper()->set_frames(10);
      impairment.mutable_delay()->add_quantiles_ns(7);
      change(impairment);
    });
  };
  EXPECT_THAT(refusal([](auto& one) { one.clear_heading(); }), HasSubstr("give one direction"));
  EXPECT_THAT(refusal([](auto& one) {
                one.clear_shaper();
                one.clear_delay();
              }),
              HasSubstr("nothing happens"));
  EXPECT_THAT(refusal([](auto& one) { one.mutable_shaper()->clear_frames(); }),
              HasSubstr("a rate without a queue"));
  EXPECT_THAT(refusal([](auto& one) { one.mutable_shaper()->set_frames(0); }),
              HasSubstr("frames of the queue: 0"));
  EXPECT_THAT(refusal([](auto& one) { one.mutable_shaper()->set_bytes(63); }),
              HasSubstr("bytes of the queue: 63"));
  EXPECT_THAT(refusal([](auto& one) { one.mutable_shaper()->set_bits_per_second(999); }),
              HasSubstr("bits_per_second 999"));
  EXPECT_THAT(refusal([](auto& one) { one.mutable_shaper()->set_overhead_bytes(21); }),
              HasSubstr("overhead_bytes 21"));
  EXPECT_THAT(refusal([](auto& one) { one.mutable_delay()->clear_quantiles_ns(); }),
              HasSubstr("points of the delay: 0"));
  EXPECT_THAT(refusal([](auto& one) { one.mutable_delay()->add_quantiles_ns(6); }),
              HasSubstr("quantiles of the delay fall"));
  EXPECT_THAT(refusal([](auto& one) { one.mutable_delay()->add_quantiles_ns(60'000'000'001); }),
              HasSubstr("delay in ns: 60000000001"));
  EXPECT_THAT(refusal([](auto& one) { one.mutable_delay()->set_correlation(1); }),
              HasSubstr("correlation 1; give 0 or more, and less than 1"));
  EXPECT_THAT(refusal([](auto& one) { one.mutable_delay()->set_correlation(std::nan("")); }),
              HasSubstr("correlation nan"));
  EXPECT_THAT(refusal([](auto& one) { one.mutable_random_loss(); }), HasSubstr("threshold 0"));
  EXPECT_THAT(RefusalOf([](auto& path) {
                for (int i = 0; i < 2; ++i) {
                  auto& impairment = *path.add_impairments();
                  impairment.set_heading(v1::Event::HEADING_FORWARD);
                  impairment.mutable_delay()->add_quantiles_ns(1);
                }
              }),
              HasSubstr("has one already"));
  EXPECT_THAT(RefusalOf([](auto& path) { path.set_hold_bytes(1000); }),
              HasSubstr("hold_bytes 1000"));
}

TEST(ValidateInline, RefusesDelaysThatCanNeverBeRight) {
  const auto first = [](v1::Path& path) -> v1::Event& { return *path.mutable_events(0); };
  EXPECT_THAT(RefusalOf([&](auto& path) { first(path).mutable_delay(); }), HasSubstr("delay_ns 0"));
  EXPECT_THAT(RefusalOf([&](auto& path) { first(path).mutable_reorder()->set_limit_ns(1); }),
              HasSubstr("frames 0"));
  EXPECT_THAT(RefusalOf([&](auto& path) { first(path).mutable_reorder()->set_frames(1); }),
              HasSubstr("limit_ns 0"));
}

TEST(ValidateInline, TakesRewritesBlackholesAndResets) {
  v1::Path path = Sound();
  auto& rewrite = *path.mutable_events(0)->mutable_rewrite();
  rewrite.set_part(v1::Corrupt::PART_NETWORK);
  rewrite.set_offset(8);
  rewrite.set_mask("\xff");
  rewrite.set_value("\x01");
  rewrite.set_ip_version(4);
  rewrite.set_repair(true);
  auto& blackhole = *path.add_events() = path.events(0);
  blackhole.set_name("two");
  blackhole.mutable_blackhole()->set_duration_ns(5);
  blackhole.mutable_blackhole()->set_flow_only(true);
  blackhole.mutable_blackhole()->set_both_ways(true);
  auto& reset = *path.add_events() = path.events(0);
  reset.set_name("three");
  reset.mutable_reset();
  const auto plan = ValidatePath(path, "job", kPorts);
  const auto& planned = std::get<RewritePacket>(plan->events[0].action);
  EXPECT_EQ(planned.offset, 8U);
  EXPECT_EQ(planned.mask, std::vector<uint8_t>({0xff}));
  EXPECT_EQ(planned.value, std::vector<uint8_t>({1}));
  EXPECT_TRUE(planned.repair);
  EXPECT_EQ(std::get<BlackholePath>(plan->events[1].action).duration_ns, 5U);
  EXPECT_TRUE(std::get<BlackholePath>(plan->events[1].action).flow_only);
  EXPECT_TRUE(std::get<BlackholePath>(plan->events[1].action).both_ways);
  EXPECT_TRUE(std::holds_alternative<ResetConnection>(plan->events[2].action));
}

TEST(ValidateInline, TakesLinksDownThatHaveAnInterface) {
  v1::Path path = Sound();
  auto& down = *path.mutable_events(0)->mutable_link_down();
  const auto planned = [&](const std::vector<PortLimits>& ports) {
    return std::get<TakeLinkDown>(ValidatePath(path, "job", ports)->events[0].action);
  };
  const auto refusal = [&](const std::vector<PortLimits>& ports) -> std::string {
    try {
      planned(ports);
    } catch (const Error& error) {
      return error.what();
    }
    return "not refused";
  };
  std::vector<PortLimits> ports = kPorts;
  ports[0].interface = ports[1].interface = "eth";
  EXPECT_THAT(refusal(ports), HasSubstr("duration_ns 0; allowed are 10000000"));
  down.set_duration_ns(20'000'000);
  EXPECT_EQ(planned(ports).duration_ns, 20'000'000U);
  EXPECT_EQ(planned(ports).ports, (std::array{true, true}));
  down.add_ports("b");
  EXPECT_EQ(planned(ports).ports, (std::array{false, true}));
  ports[1].interface.clear();
  EXPECT_THAT(refusal(ports), HasSubstr("port \"b\" has no interface of the kernel"));
  *down.mutable_ports(0) = "c";
  EXPECT_THAT(refusal(ports),
              HasSubstr("port \"c\" is none of its path; there are \"a\" and \"b\""));
}

TEST(ValidateInline, RefusesRewritesThatCanNeverBeRight) {
  const auto refusal = [](const std::function<void(v1::RewriteBits&)>& change) {
    return RefusalOf([&](v1::Path& path) {
      auto& rewrite = *path.mutable_events(0)->mutable_rewrite();
      rewrite.set_mask("\x0f");
      rewrite.set_value("\x01");
      change(rewrite);
    });
  };
  EXPECT_EQ(refusal([](auto&) {}), "not refused");
  EXPECT_THAT(refusal([](auto& one) { one.clear_mask(); }), HasSubstr("bytes of the mask: 0"));
  EXPECT_THAT(refusal([](auto& one) { one.set_mask(std::string(65, 'x')); }),
              HasSubstr("bytes of the mask: 65"));
  EXPECT_THAT(refusal([](auto& one) { one.set_value("ab"); }), HasSubstr("a value of 2 bytes"));
  EXPECT_THAT(refusal([](auto& one) { one.set_value("\x10"); }), HasSubstr("not under the mask"));
  EXPECT_THAT(refusal([](auto& one) { one.set_offset(65'535); }), HasSubstr("offset 65535"));
  EXPECT_THAT(refusal([](auto& one) { one.set_protocol(256); }), HasSubstr("protocol 256"));
  EXPECT_THAT(refusal([](auto& one) { one.set_ip_version(5); }), HasSubstr("ip_version 5"));
  EXPECT_THAT(refusal([](auto& one) { one.set_part(static_cast<v1::Corrupt::Part>(9)); }),
              HasSubstr("part 9"));
  EXPECT_THAT(RefusalOf([](auto& path) { path.mutable_events(0)->mutable_blackhole(); }),
              HasSubstr("duration_ns 0"));
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
                first(path).mutable_carried();
                first(path).set_flow(0);
              }),
              HasSubstr("flow 0"));
  for (const std::string pattern : {"", "\1\2"}) {
    EXPECT_THAT(RefusalOf([&](auto& path) {
                  first(path).clear_iteration();
                  first(path).set_pattern(pattern);
                }),
                HasSubstr("pattern"));
  }
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
