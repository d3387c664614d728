// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/interruptions.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace tester {
namespace {

void StayOn(unsigned cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

// Two that want the same CPU have to wait for each other.
TEST(Interruptions, WaitingForTheCpuIsSeen) {
  const auto cpu = static_cast<unsigned>(::sched_getcpu());
  std::atomic<bool> end{false};
  std::atomic<pid_t> thread{0};
  const auto spin = [&] {
    StayOn(cpu);
    thread = ::gettid();
    while (!end) {
    }
  };
  std::thread one(spin);
  std::thread other(spin);
  while (thread == 0) std::this_thread::yield();
  const Interruptions before = Interruptions::Read(thread, cpu);
  Interruptions since;
  for (int i = 0;
       i < 1000 && (since.waited_ns <= before.waited_ns || since.preemptions <= before.preemptions);
       ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    since = Interruptions::Read(thread, cpu);
  }
  end = true;
  one.join();
  other.join();
  EXPECT_GT(since.waited_ns, before.waited_ns);
  EXPECT_GT(since.preemptions, before.preemptions);
}

TEST(Interruptions, WhatTheKernelDoesNotTellIsNothing) {
  constexpr pid_t kNobody = 0x7fffffff;
  const Interruptions none = Interruptions::Read(kNobody, 1'000'000);
  EXPECT_EQ(none.waited_ns, 0U);
  EXPECT_EQ(none.preemptions, 0U);
  EXPECT_EQ(none.steal_ns, 0U);
}

}  // namespace
}  // namespace tester
