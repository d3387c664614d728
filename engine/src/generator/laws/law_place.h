// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A place among the frames of a law of departures: the next frame and when it is due. Laws move it
// forward; they themselves never change. Times are whole nanoseconds after the law's begin.
#pragma once

#include <cstdint>

namespace tester {

inline constexpr uint64_t kNever = UINT64_MAX;

struct LawPlace {
  uint64_t frame = 0;
  uint64_t due_ns = 0;       // of `frame`; kNever when there is none
  uint64_t last_due_ns = 0;  // of the frame before

  // Used by random laws: the fraction of a nanosecond that the last time had.
  double below_ns = 0;
  // Used by on/off: the next time to draw, the end of the present talk (in virtual time, which
  // stands still while the source is off), and how long it has been silent.
  uint64_t draw = 0;
  uint64_t talk_end_ns = 0;
  uint64_t silent_ns = 0;
  // Used by a replay: whether the frame was read, so that due_ns is its own time.
  bool is_known = true;
};

}  // namespace tester
