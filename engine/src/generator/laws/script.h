// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Messages of frames that follow each other by given gaps (formullar section 3.2). The order of the
// stream chooses the frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tester {

// Its first frame is due a pause after the last one of the message before.
struct Message {
  uint64_t pause_ns;
  uint64_t packets;
  uint64_t gap_ns;
};

class Script {
 public:
  // Pauses with gaps, and packets, sum up to less than 2^63; a run takes at least a nanosecond.
  Script(std::vector<Message> messages, bool repeat);

  // The instant at which frame k is due. Saturates; kNever beyond the last frame.
  uint64_t DueNs(uint64_t k) const;
  // How many frames are due in [0, elapsed_ns], and in [0, elapsed_ns).
  uint64_t DueBy(uint64_t elapsed_ns) const;
  uint64_t DueBefore(uint64_t elapsed_ns) const {
    return elapsed_ns == 0 ? 0 : DueBy(elapsed_ns - 1);
  }
  // The most that are due in a window of this length.
  uint64_t MostDue(uint64_t window_ns) const;

 private:
  std::vector<Message> messages_;
  std::vector<uint64_t> begins_ns_;  // of the first frame of each message, in a run
  std::vector<uint64_t> frames_;     // before each message, and in a run
  uint64_t run_ns_ = 0;
  bool repeat_;
};

}  // namespace tester
