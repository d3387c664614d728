// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/laws/profile.h"

#include <algorithm>

#include "base/int128.h"
#include "base/rate.h"
#include "base/saturate.h"
#include "generator/laws/begins.h"
#include "generator/laws/law_place.h"

namespace tester {

Profile::Profile(const std::vector<Stretch>& stretches, bool repeat)
    : begins_ns_{0}, frames_{0}, repeat_(repeat) {
  for (const auto& stretch : stretches) {
    begins_ns_.push_back(begins_ns_.back() + stretch.duration_ns);
    frames_.push_back(frames_.back() + stretch.packets);
  }
}

uint64_t Profile::DueNs(uint64_t k) const {
  const uint64_t run = k / frames_.back();
  if (run > 0 && !repeat_) return kNever;
  const uint64_t frame = k % frames_.back();
  const size_t i = StretchOf(frame, frames_);  // the last stretch has packets
  const Rate rate{.packets = frames_[i + 1] - frames_[i],
                  .nanoseconds = begins_ns_[i + 1] - begins_ns_[i]};
  const uint64_t in_run = begins_ns_[i] + DueTime(rate, frame - frames_[i]);
  return Saturate(Uint128{run} * begins_ns_.back() + in_run);
}

uint64_t Profile::MostDue(uint64_t window_ns) const {
  // A rate is constant within a stretch, so the fullest window begins with one, or ends with one.
  const uint64_t run_ns = begins_ns_.back();
  const uint64_t later = repeat_ ? (window_ns / run_ns + 1) * run_ns : 0;
  uint64_t most = 0;
  for (const uint64_t edge_ns : begins_ns_) {
    const uint64_t at = edge_ns + later;
    const uint64_t before = at - std::min(at, window_ns);
    most = std::max({most, DueBefore(AddSaturating(at, window_ns)) - DueBefore(at),
                     DueBefore(at) - DueBefore(before)});
  }
  return most;
}

uint64_t Profile::Count(uint64_t elapsed_ns, bool inclusive) const {
  const uint64_t run = elapsed_ns / begins_ns_.back();
  if (run > 0 && !repeat_) return frames_.back();
  const uint64_t in_run = elapsed_ns % begins_ns_.back();
  const size_t i = StretchOf(in_run, begins_ns_);
  const uint64_t packets = frames_[i + 1] - frames_[i];
  uint64_t frames = frames_[i];
  if (packets > 0) {
    const Rate rate{.packets = packets, .nanoseconds = begins_ns_[i + 1] - begins_ns_[i]};
    const uint64_t in_stretch = in_run - begins_ns_[i];
    frames += std::min(
        packets, inclusive ? tester::DueBy(rate, in_stretch) : tester::DueBefore(rate, in_stretch));
  }
  return Saturate(Uint128{run} * frames_.back() + frames);
}

}  // namespace tester
