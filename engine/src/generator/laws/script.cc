// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/laws/script.h"

#include <algorithm>
#include <utility>

#include "base/int128.h"
#include "base/saturate.h"
#include "generator/laws/begins.h"
#include "generator/laws/law_place.h"

namespace tester {

Script::Script(std::vector<Message> messages, bool repeat)
    : messages_(std::move(messages)), frames_{0}, repeat_(repeat) {
  for (const auto& message : messages_) {
    begins_ns_.push_back(run_ns_ + message.pause_ns);
    frames_.push_back(frames_.back() + message.packets);
    run_ns_ = begins_ns_.back() + (message.packets - 1) * message.gap_ns;
  }
}

uint64_t Script::DueNs(uint64_t k) const {
  const uint64_t run = k / frames_.back();
  if (run > 0 && !repeat_) return kNever;
  const uint64_t frame = k % frames_.back();
  const size_t i = StretchOf(frame, frames_);
  const uint64_t in_run = begins_ns_[i] + (frame - frames_[i]) * messages_[i].gap_ns;
  return Saturate(Uint128{run} * run_ns_ + in_run);
}

uint64_t Script::MostDue(uint64_t window_ns) const {
  // The fullest window begins with the first frame of a message, or ends with the last one.
  const uint64_t later = repeat_ ? (window_ns / run_ns_ + 1) * run_ns_ : 0;
  uint64_t most = 0;
  for (size_t i = 0; i < messages_.size(); ++i) {
    const uint64_t first = begins_ns_[i] + later;
    const uint64_t end = first + (messages_[i].packets - 1) * messages_[i].gap_ns + 1;
    const uint64_t before = end - std::min(end, window_ns);
    most = std::max({most, DueBefore(AddSaturating(first, window_ns)) - DueBefore(first),
                     DueBefore(end) - DueBefore(before)});
  }
  return most;
}

uint64_t Script::DueBy(uint64_t elapsed_ns) const {
  const uint64_t run = repeat_ ? elapsed_ns / run_ns_ : 0;
  const uint64_t in_run = elapsed_ns - run * run_ns_;
  const auto after = std::ranges::upper_bound(begins_ns_, in_run);
  uint64_t frames = 0;
  if (after != begins_ns_.begin()) {
    const auto i = static_cast<size_t>(after - begins_ns_.begin()) - 1;
    const Message& message = messages_[i];
    const uint64_t gaps =
        message.gap_ns == 0 ? message.packets : (in_run - begins_ns_[i]) / message.gap_ns;
    frames = frames_[i] + std::min(message.packets - 1, gaps) + 1;
  }
  return Saturate(Uint128{run} * frames_.back() + frames);
}

}  // namespace tester
