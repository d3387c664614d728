// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/clock.h"

#include <pthread.h>

#include <chrono>
#include <ctime>

namespace tester {
namespace {

constexpr auto kFirstComparison = std::chrono::milliseconds(100);
constexpr auto kPeriod = std::chrono::milliseconds(250);
// The time between the publication of a bend and its begin; all readers have seen it by then.
constexpr uint64_t kLeadsPerSecond = 100;

uint64_t RawNs() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

// The fastest of several readings.
ClockLook Look() {
  constexpr int kTries = 32;
  ClockLook best{};
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < kTries; ++i) {
    const uint64_t before = rte_rdtsc_precise();
    const uint64_t raw_ns = RawNs();
    const uint64_t after = rte_rdtsc_precise();
    if (after - before >= least) continue;
    least = after - before;
    best = {.ticks_before = before, .raw_ns = raw_ns, .ticks_after = after};
  }
  return best;
}

Discipline Compare() {
  const ClockLook first = Look();
  std::this_thread::sleep_for(kFirstComparison);
  return {first, Look()};
}

}  // namespace

Clock::Clock()
    : discipline_(Compare()),
      timeline_(discipline_.line()),
      thread_([this](const std::stop_token& stop) { Keep(stop); }) {
  ::pthread_setname_np(thread_.native_handle(), "clock");
}

Clock::Reading Clock::ReadBoth() const {
  const ClockLook look = Look();
  return {.engine_ns = timeline_.At(look.Ticks()), .raw_ns = look.raw_ns};
}

void Clock::Keep(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait_for(lock, stop, kPeriod, [] { return false; });
    if (stop.stop_requested()) return;
    Adjust();
  }
}

void Clock::Adjust() {
  discipline_.Learn(Look());
  const uint64_t begin = rte_rdtsc() + rte_get_tsc_hz() / kLeadsPerSecond;
  const Bend bend = discipline_.From(begin);
  // This thread lost the CPU in between. Some have gone straight on; there will be another bend.
  if (rte_rdtsc() >= begin) return;
  timeline_.Replace(bend);
  discipline_.Follow(bend);
}

}  // namespace tester
