// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/interruptions.h"

#include <unistd.h>

#include <fstream>
#include <limits>
#include <string>

#include "base/text.h"

namespace tester {
namespace {

uint64_t ReadWaited(const std::string& task) {
  uint64_t ran_ns = 0;
  uint64_t waited_ns = 0;
  std::ifstream(task + "/schedstat") >> ran_ns >> waited_ns;
  return waited_ns;
}

// The number behind a word at the begin of a line: number `skip` + 1 of that line.
uint64_t ReadNumber(const std::string& path, const std::string& word, int skip) {
  std::ifstream file(path);
  for (std::string first; file >> first;) {
    if (first == word) {
      uint64_t number = 0;
      for (int i = 0; i <= skip; ++i) file >> number;
      return file ? number : 0;
    }
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

uint64_t ReadStealNs(unsigned cpu) {
  constexpr int kBefore = 7;  // user nice system idle iowait irq softirq
  const auto ticks_per_second = static_cast<uint64_t>(::sysconf(_SC_CLK_TCK));
  return ReadNumber("/proc/stat", Cat("cpu", cpu), kBefore) * (1'000'000'000 / ticks_per_second);
}

}  // namespace

Interruptions Interruptions::Read(pid_t thread, unsigned cpu) {
  const std::string task = Cat("/proc/self/task/", thread);
  return {.waited_ns = ReadWaited(task),
          .preemptions = ReadNumber(task + "/status", "nonvoluntary_ctxt_switches:", 0),
          .steal_ns = ReadStealNs(cpu)};
}

}  // namespace tester
