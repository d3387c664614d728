// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Keeps the engine's time at the rate of CLOCK_MONOTONIC_RAW, from readings of both. Pure, so that
// it is tested with clocks that drift, step and are read badly.
//
// A reading has an error bound, and the rate is taken between the two readings of the last seconds
// that bound it best (Veitch, Ridoux, Korada: Robust Synchronization of Absolute and Difference
// Clocks over Networks, 2009). So an interrupted reading does no harm, and no threshold is needed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "worker/timeline.h"

namespace tester {

// The kernel's clock was read between two readings of the counter.
struct ClockLook {
  uint64_t ticks_before;
  uint64_t raw_ns;
  uint64_t ticks_after;

  uint64_t Ticks() const { return ticks_before + (ticks_after - ticks_before) / 2; }
};

class Discipline {
 public:
  // The largest deviation from the known rate that corrects an accumulated error.
  static constexpr double kMostSlew = 1e-7;

  // Time begins, with 0, at the first look.
  Discipline(const ClockLook& first, const ClockLook& second);

  void Learn(const ClockLook& look);

  // The course of time from that tick on.
  Bend From(uint64_t ticks) const;
  // It does so.
  void Follow(const Bend& bend) { line_ = bend.after; }

  const Line& line() const { return line_; }

 private:
  struct Point {
    uint64_t ticks;
    uint64_t raw_ns;
    double error_ns;  // at most
  };
  static constexpr size_t kPoints = 64;

  double ErrorNs(const ClockLook& look) const;
  bool HasStepped(const Point& point) const;
  void Remember(const Point& point);
  void EstimateRate();
  static Line LineOf(uint64_t ticks, uint64_t ns, double rate);

  double rate_;            // nanoseconds per tick
  double rate_error_ = 1;  // at most, relative
  double behind_ns_ = 0;   // how far time is behind the kernel's clock, as far as that is certain
  uint64_t raw_zero_;      // the kernel's clock when time was 0
  Line line_;
  std::array<Point, kPoints> points_;
  size_t count_ = 0;  // of points so far; the last kPoints are kept
};

}  // namespace tester
