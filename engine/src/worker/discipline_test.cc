// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/discipline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace tester {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kPeriod = kSecond / 4;
constexpr uint64_t kLead = kSecond / 100;

// Two clocks of a simulated machine, read like the engine does. All random numbers are seeded.
class Machine {
 public:
  explicit Machine(double ticks_per_ns) : ticks_per_ns_(ticks_per_ns), discipline_(First()) {}

  // So much passes, with a look each period.
  void Pass(uint64_t duration_ns) {
    for (uint64_t end = now_ns_ + duration_ns; now_ns_ < end;) {
      Advance(kPeriod);
      discipline_.Learn(Look());
      const Bend bend = discipline_.From(TicksNow() + TicksIn(kLead));
      EXPECT_GE(bend.At(bend.after.ticks), bend.At(bend.after.ticks - 1));
      EXPECT_EQ(bend.before.At(bend.after.ticks), bend.after.At(bend.after.ticks));
      discipline_.Follow(bend);
    }
  }

  // How much faster than the kernel's clock the engine's time runs, on average of so long.
  double RateError(uint64_t duration_ns) {
    const double engine_ns = EngineNs();
    const auto raw_ns = static_cast<double>(now_ns_);
    Pass(duration_ns);
    return (EngineNs() - engine_ns) / (static_cast<double>(now_ns_) - raw_ns) - 1;
  }

  // How much faster it runs at this moment.
  double RateErrorNow() const {
    return std::ldexp(static_cast<double>(discipline_.line().multiplier), -Line::kShift) *
               ticks_per_ns_ -
           1;
  }

  // How far it is behind the kernel's clock, since the start.
  double BehindNs() const { return static_cast<double>(now_ns_ - kStartNs) - EngineNs(); }

  void SetSpeed(double ticks_per_ns) { ticks_per_ns_ = ticks_per_ns; }
  void JumpTicks(double ticks) { ticks_ += ticks; }
  void JumpRaw(int64_t ns) { raw_offset_ns_ += ns; }
  // The duration of a look, and where in it the kernel's clock is read.
  std::function<double(std::mt19937_64&)> look_ns = [](std::mt19937_64& random) {
    return 40 + static_cast<double>(random() % 20);
  };

 private:
  static constexpr uint64_t kStartNs = 1000 * kSecond;

  Discipline First() {
    const ClockLook first = Look();
    Advance(kSecond / 10);
    return {first, Look()};
  }

  void Advance(uint64_t ns) {
    now_ns_ += ns;
    ticks_ += static_cast<double>(ns) * ticks_per_ns_;
  }
  uint64_t TicksNow() const { return static_cast<uint64_t>(std::llround(ticks_)); }
  uint64_t TicksIn(uint64_t ns) const {
    return static_cast<uint64_t>(static_cast<double>(ns) * ticks_per_ns_);
  }
  double EngineNs() const { return static_cast<double>(discipline_.line().At(TicksNow())); }

  ClockLook Look() {
    const double took_ns = look_ns(random_);
    const double before_ns = took_ns * std::uniform_real_distribution<double>(0, 1)(random_);
    const auto ticks = [&](double ns) {
      return static_cast<uint64_t>(std::llround(ticks_ + ns * ticks_per_ns_));
    };
    return {.ticks_before = ticks(-before_ns),
            .raw_ns = static_cast<uint64_t>(static_cast<int64_t>(now_ns_) + raw_offset_ns_),
            .ticks_after = ticks(took_ns - before_ns)};
  }

  double ticks_per_ns_;
  double ticks_ = 1e12;
  uint64_t now_ns_ = kStartNs;
  int64_t raw_offset_ns_ = 0;
  std::mt19937_64 random_{1};
  Discipline discipline_;
};

class AtSpeed : public testing::TestWithParam<double> {};

TEST_P(AtSpeed, RunsWithTheKernelsClock) {
  Machine machine(GetParam());
  EXPECT_LT(std::abs(machine.RateErrorNow()), 5e-7);
  machine.Pass(2 * kSecond);
  for (int i = 0; i < 10; ++i) EXPECT_LT(std::abs(machine.RateError(kSecond)), 6e-8);
  machine.Pass(20 * kSecond);
  for (int i = 0; i < 10; ++i) EXPECT_LT(std::abs(machine.RateError(10 * kSecond)), 5e-9);
}

INSTANTIATE_TEST_SUITE_P(Discipline, AtSpeed,
                         testing::Values(0.0241, 1, 1.000'000'3, 2.299'991'7, 5.1));

// Most readings are interrupted for up to ten milliseconds.
TEST(Discipline, InterruptedLooksDoNoHarm) {
  Machine machine(2.3);
  machine.look_ns = [](std::mt19937_64& random) {
    const double interrupted_ns =
        random() % 5 != 0 ? static_cast<double>(random() % 10'000'000) : 0;
    return 50 + interrupted_ns;
  };
  machine.Pass(4 * kSecond);
  for (int i = 0; i < 100; ++i) EXPECT_LT(std::abs(machine.RateError(kSecond)), 1e-7);
}

// The first look was interrupted, so it starts with a rate that is wrong by 2e-3.
TEST(Discipline, AWrongStartIsForgotten) {
  const ClockLook first{.ticks_before = 1000, .raw_ns = 0, .ticks_after = 1'000'000};
  const ClockLook second{
      .ticks_before = 230'000'000, .raw_ns = 100'000'000, .ticks_after = 230'000'100};
  Discipline discipline(first, second);
  for (uint64_t i = 1; i < 40; ++i) {
    const uint64_t ticks = 230'000'000 + i * 575'000'000;
    discipline.Learn({.ticks_before = ticks,
                      .raw_ns = 100'000'000 + i * 250'000'000,
                      .ticks_after = ticks + 100});
    discipline.Follow(discipline.From(ticks + 1000));
    if (i < 2) continue;
    const double rate =
        std::ldexp(static_cast<double>(discipline.line().multiplier), -Line::kShift);
    EXPECT_LT(std::abs(rate * 2.3 - 1), Discipline::kMostSlew + 1e-8);
  }
}

// The accumulated error is corrected, never faster than by kMostSlew.
TEST(Discipline, WhatWentWrongIsMadeGood) {
  Machine machine(2.3);
  machine.Pass(20 * kSecond);
  machine.SetSpeed(2.3 * (1 + 5e-7));  // of a step's size, but just no step
  for (int i = 0; i < 400; ++i) {
    machine.Pass(kPeriod);
    EXPECT_LT(std::abs(machine.RateErrorNow()), 5e-7 + Discipline::kMostSlew + 1e-8);
  }
  EXPECT_LT(std::abs(machine.BehindNs()), 100);
  EXPECT_LT(std::abs(machine.RateError(kSecond)), 1e-8);
}

// A quartz that gets warm: 0.5 ppm within a minute.
TEST(Discipline, FollowsAQuartz) {
  Machine machine(2.3);
  machine.Pass(20 * kSecond);
  for (int i = 0; i < 60; ++i) {
    machine.SetSpeed(2.3 * (1 + 5e-7 * i / 60));
    EXPECT_LT(std::abs(machine.RateError(kSecond)), 2e-7);
  }
}

// One clock is suddenly elsewhere, as after a machine was suspended. The rate does not care.
TEST(Discipline, AStepOfEitherClockDoesNotMatter) {
  for (const double jump_s : {1e-5, 1e-3, 0.1, 3600.0, -1e-5, -0.1}) {
    Machine machine(2.3);
    machine.Pass(5 * kSecond);
    machine.JumpRaw(static_cast<int64_t>(jump_s * 1e9));
    for (int i = 0; i < 20; ++i) {
      machine.Pass(kPeriod);
      EXPECT_LT(std::abs(machine.RateErrorNow()), 3e-7) << jump_s;
    }
    EXPECT_LT(std::abs(machine.RateError(10 * kSecond)), 2e-8) << jump_s;
    machine.JumpTicks(std::abs(jump_s) * 2.3e9);
    machine.Pass(kPeriod);
    for (int i = 0; i < 20; ++i) {
      machine.Pass(kPeriod);
      EXPECT_LT(std::abs(machine.RateErrorNow()), 3e-7) << jump_s;
    }
    EXPECT_LT(std::abs(machine.RateError(10 * kSecond)), 2e-8) << jump_s;
  }
}

}  // namespace
}  // namespace tester
