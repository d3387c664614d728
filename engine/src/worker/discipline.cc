// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/discipline.h"

#include <algorithm>
#include <cmath>

namespace tester {
namespace {

// How much faster than before a clock may run at the next look; a quartz changes by less than a
// tenth of this. More is a step: a machine was suspended, or the kernel has changed its clock.
constexpr double kMostWander = 1e-6;
// An error of the clock is corrected over about this time.
constexpr double kSlewNs = 2e9;

double Elapsed(uint64_t since, uint64_t until) {
  return static_cast<double>(static_cast<int64_t>(until - since));
}

}  // namespace

Discipline::Discipline(const ClockLook& first, const ClockLook& second)
    : rate_(Elapsed(first.raw_ns, second.raw_ns) / Elapsed(first.Ticks(), second.Ticks())),
      raw_zero_(first.raw_ns) {
  Remember({.ticks = first.Ticks(), .raw_ns = first.raw_ns, .error_ns = ErrorNs(first)});
  Remember({.ticks = second.Ticks(), .raw_ns = second.raw_ns, .error_ns = ErrorNs(second)});
  EstimateRate();
  line_ = LineOf(first.Ticks(), 0, rate_);
}

void Discipline::Learn(const ClockLook& look) {
  const Point point{.ticks = look.Ticks(), .raw_ns = look.raw_ns, .error_ns = ErrorNs(look)};
  if (HasStepped(point)) {
    // Time continues at its rate; the new value of the other clock has no meaning for it.
    count_ = 0;
    rate_error_ = 1;
    raw_zero_ = point.raw_ns - line_.At(point.ticks);
  }
  Remember(point);
  EstimateRate();
  const double behind_ns = Elapsed(line_.At(point.ticks), point.raw_ns - raw_zero_);
  behind_ns_ = std::copysign(std::max(0.0, std::abs(behind_ns) - point.error_ns), behind_ns);
}

Bend Discipline::From(uint64_t ticks) const {
  const double slew = std::clamp(behind_ns_ / kSlewNs, -kMostSlew, kMostSlew);
  return {.before = line_, .after = LineOf(ticks, line_.At(ticks), rate_ * (1 + slew))};
}

double Discipline::ErrorNs(const ClockLook& look) const {
  // The kernel's clock is in whole nanoseconds.
  return 1 + rate_ * Elapsed(look.ticks_before, look.ticks_after) / 2;
}

bool Discipline::HasStepped(const Point& point) const {
  const Point& last = points_[(count_ - 1) % kPoints];
  const double elapsed_ns = rate_ * Elapsed(last.ticks, point.ticks);
  const double off_ns = Elapsed(last.raw_ns, point.raw_ns) - elapsed_ns;
  const double allowed_ns =
      last.error_ns + point.error_ns + (rate_error_ + kMostWander) * std::abs(elapsed_ns);
  return std::abs(off_ns) > allowed_ns;
}

void Discipline::Remember(const Point& point) { points_[count_++ % kPoints] = point; }

void Discipline::EstimateRate() {
  const size_t kept = std::min(count_, kPoints);
  if (kept < 2) return;
  rate_error_ = 1;
  for (size_t i = count_ - kept; i < count_; ++i) {
    const Point& first = points_[i % kPoints];
    for (size_t j = i + 1; j < count_; ++j) {
      const Point& last = points_[j % kPoints];
      const double raw_ns = Elapsed(first.raw_ns, last.raw_ns);
      const double error = (first.error_ns + last.error_ns) / raw_ns;
      if (error >= rate_error_) continue;
      rate_error_ = error;
      rate_ = raw_ns / Elapsed(first.ticks, last.ticks);
    }
  }
}

Line Discipline::LineOf(uint64_t ticks, uint64_t ns, double rate) {
  const double multiplier = std::ldexp(rate, Line::kShift);
  return {.ticks = ticks, .ns = ns, .multiplier = static_cast<uint64_t>(std::llround(multiplier))};
}

}  // namespace tester
