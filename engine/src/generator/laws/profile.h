// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A rate that changes with time: stretches of constant rate, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tester {

// Frame i of it is due i * duration_ns / packets after its begin; without packets it is a pause.
struct Stretch {
  uint64_t duration_ns;
  uint64_t packets;
};

class Profile {
 public:
  // At least one packet in all; durations and packets sum up to less than 2^63 each.
  Profile(const std::vector<Stretch>& stretches, bool repeat);

  // The first whole nanosecond at which frame k is due. Saturates; kNever beyond the last frame.
  uint64_t DueNs(uint64_t k) const;
  // How many frames are due in [0, elapsed_ns], and in [0, elapsed_ns).
  uint64_t DueBy(uint64_t elapsed_ns) const { return Count(elapsed_ns, true); }
  uint64_t DueBefore(uint64_t elapsed_ns) const { return Count(elapsed_ns, false); }
  // The most that are due in a window of this length, within one of each number that is split.
  uint64_t MostDue(uint64_t window_ns) const;

 private:
  uint64_t Count(uint64_t elapsed_ns, bool inclusive) const;

  // The begin of each stretch in a run, and the end of the run.
  std::vector<uint64_t> begins_ns_;
  std::vector<uint64_t> frames_;  // before each
  bool repeat_;
};

}  // namespace tester
