// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Keeps the engine's time at the rate of CLOCK_MONOTONIC_RAW, from looks at both: pure, so that it
// is tested against clocks that drift, step and are read badly.
//
// A look says how wrong it can be, and the rate is taken between the two looks of the last seconds
// that bound it best (Veitch, Ridoux, Korada: Robust Synchronization of Absolute and Difference
// Clocks over Networks, 2009). So a look that was interrupted does no harm, and needs no threshold
// by which it is known.
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
  // The most by which time runs faster or slower than the rate that is known, to make good for what
  // it went wrong before.
  static constexpr double kMostSlew = 1e-7;

  // Time begins, with 0, at the first look.
  Discipline(const ClockLook& first, const ClockLook& second);

  void Learn(const ClockLook& look);

  // How time goes on from that tick.
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
  size_t count_ = 0;  // of points that were remembered; the last kPoints of them are kept
};

}  // namespace tester
