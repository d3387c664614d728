// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "options.h"

#include <getopt.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

namespace tester {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Options Parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "testerd");
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  optind = 0;  // getopt starts anew
  return ParseOptions(static_cast<int>(arguments.size()), argv.data());
}

std::string Listen() { return "--listen=unix:" + testing::TempDir() + "/t.sock"; }

std::string Refusal(const std::vector<std::string>& arguments) {
  try {
    Parse(arguments);
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    return error.what();
  }
}

TEST(Options, HaveDefaults) {
  const Options options = Parse({Listen(), "--port", "a=loop:x"});
  EXPECT_EQ(options.worker_cpus.size(), 1U);
  EXPECT_FALSE(options.control_cpus.empty());
  EXPECT_GE(options.memory_mb, 100U);
  EXPECT_FALSE(options.hugepages);
  EXPECT_FALSE(options.exit_with_parent);
}

TEST(Options, AreTaken) {
  const std::string cpu = std::to_string(Parse({Listen(), "--port=a=loop:x"}).worker_cpus[0]);
  const Options options =
      Parse({Listen(), "--port=a=loop:x", "--port=b=vdev:net_null0", "--cpu", cpu, "--memory=77",
             "--hugepages", "--log=json", "--exit-with-parent", "--force-interface", "eth0"});
  EXPECT_EQ(options.ports.size(), 2U);
  EXPECT_EQ(options.memory_mb, 77U);
  EXPECT_TRUE(options.hugepages);
  EXPECT_EQ(options.log_format, LogFormat::kJson);
  EXPECT_TRUE(options.exit_with_parent);
  EXPECT_THAT(options.forced_interfaces, ElementsAre("eth0"));
}

TEST(Options, HelpAndVersionNeedNothingElse) {
  EXPECT_EQ(Parse({"--help"}).action, Options::Action::kHelp);
  EXPECT_EQ(Parse({"--version"}).action, Options::Action::kVersion);
}

TEST(Options, RefusalsSayWhatIsWrong) {
  EXPECT_THAT(Refusal({"--port=a=loop:x"}), HasSubstr("--listen is missing"));
  EXPECT_THAT(Refusal({Listen()}), HasSubstr("--port is missing"));
  EXPECT_THAT(Refusal({Listen(), "--bogus"}), HasSubstr("--bogus"));
  EXPECT_THAT(Refusal({Listen(), "--port=a=loop:x", "more"}), HasSubstr("\"more\""));
  EXPECT_THAT(Refusal({Listen(), "--port=a=loop:x", "--port=a=loop:y"}), HasSubstr("twice"));
  EXPECT_THAT(Refusal({Listen(), "--port=a=loop:x", "--cpu=9999"}), HasSubstr("not available"));
  EXPECT_THAT(Refusal({Listen(), "--port=a=loop:x", "--cpu=0x"}), HasSubstr("not a number"));
  for (const char* queues : {"0", "17"}) {
    EXPECT_THAT(Refusal({Listen(), "--port=a=loop:x", Cat("--queues=", queues)}),
                HasSubstr("allowed are 1 to 16"));
  }
  EXPECT_THAT(Refusal({Listen(), "--port=a=loop:x", "--log=xml"}), HasSubstr("text and json"));
}

TEST(Options, ACpuThatWouldDoNothingIsRefusedByName) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
  std::vector<std::string> cpus;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE && cpus.size() < 2; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) cpus.push_back(std::to_string(cpu));
  }
  if (cpus.size() < 2) GTEST_SKIP() << "this process may use one CPU only";
  const std::string both = "--cpu=" + cpus[0] + "," + cpus[1];
  EXPECT_THAT(
      Refusal({Listen(), "--port=a=loop:x", both}),
      HasSubstr("2 workers for 1 port(s) with 1 queue(s) each; a queue is served by one worker, so "
                "CPU " +
                cpus[1]));
  const Options options = Parse({Listen(), "--port=a=loop:x", "--queues=2", both});
  EXPECT_EQ(options.worker_cpus.size(), 2U);
  EXPECT_EQ(options.queues, 2U);
  EXPECT_EQ(Parse({Listen(), "--port=a=loop:x", "--port=b=loop:x", both}).worker_cpus.size(), 2U);
}

}  // namespace
}  // namespace tester
