// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/clock.h"

#include <ctime>

namespace tester {
namespace {

struct Sample {
  uint64_t ticks;
  uint64_t raw_ns;
};

uint64_t RawNs() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

// The pair that was read with the least time in between, of several.
Sample ReadSample() {
  constexpr int kTries = 32;
  Sample best{};
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < kTries; ++i) {
    const uint64_t before = rte_rdtsc();
    const uint64_t raw = RawNs();
    const uint64_t after = rte_rdtsc();
    if (after - before >= least) continue;
    least = after - before;
    best = {.ticks = before + least / 2, .raw_ns = raw};
  }
  return best;
}

}  // namespace

Clock::Clock() {
  const Sample first = ReadSample();
  const timespec pause{.tv_sec = 0, .tv_nsec = kCalibrationNs};
  ::nanosleep(&pause, nullptr);
  const Sample last = ReadSample();
  multiplier_ = static_cast<uint64_t>((static_cast<Wide>(last.raw_ns - first.raw_ns) << kShift) /
                                      (last.ticks - first.ticks));
  base_ticks_ = first.ticks;
}

Clock::Reading Clock::ReadBoth() const {
  const Sample sample = ReadSample();
  const uint64_t ticks = sample.ticks - base_ticks_;
  return {.engine_ns = static_cast<uint64_t>((static_cast<Wide>(ticks) * multiplier_) >> kShift),
          .raw_ns = sample.raw_ns};
}

}  // namespace tester
