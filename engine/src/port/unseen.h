// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames that an interface has received and its port has neither seen nor missed.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace tester {

// Counts frames of one port that the kernel has counted and the port has not, since the port was
// opened. The kernel counts first, and the two counts cannot be read at one instant: a difference
// counts once it lasts while all workers poll without receiving. From then on it only grows.
class Unseen {
 public:
  using Time = std::chrono::steady_clock::duration;

  // The kernel may still be handing over frames, and a worker polls every 0.4 ms.
  static constexpr Time kUnderWay = std::chrono::milliseconds(10);
  // A worker that does not go on for so long is stuck.
  static constexpr Time kPatience = std::chrono::seconds(3);

  // Readings of the port, taken repeatedly.
  struct PortReadings {
    std::function<uint64_t()> accounted;           // frames that it has seen or missed
    std::function<std::vector<uint64_t>()> loops;  // of each of its workers
    std::function<Time()> wait;  // a moment; then how long it was since the first one
  };

  // Returns when the port has accounted for `arrived` frames, or its workers have polled without
  // receiving more. Nothing where neither happened within three seconds: a worker may still
  // receive them.
  std::optional<uint64_t> Look(uint64_t arrived, const PortReadings& port) {
    std::optional<uint64_t> before;
    for (std::vector<uint64_t> ends;;) {
      const std::vector<uint64_t> loops = port.loops();
      const uint64_t known = port.accounted() + unseen_;
      if (arrived <= known) return unseen_;
      if (before != known) {
        before = known;
        // The present loops may have polled already, and count when they end.
        ends = port.loops();
        for (uint64_t& end : ends) end += 2;
      }
      const Time waited = port.wait();
      const bool in_vain = std::ranges::equal(loops, ends, std::ranges::greater_equal());
      if (waited >= kUnderWay && in_vain) return unseen_ += arrived - known;
      if (waited >= kPatience) return std::nullopt;
    }
  }

 private:
  uint64_t unseen_ = 0;
};

}  // namespace tester
