// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames that an interface has received and its port has neither seen nor missed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

namespace tester {

// Counts frames of one port, since it was opened, that the kernel has counted and the port has not.
// The kernel counts first, and the two counts cannot be read at one instant, so a difference counts
// only once it lasts; from then on it only grows.
class Unseen {
 public:
  // `accounted` is called again until it has come up with `arrived`, or `wait` says that it is
  // enough.
  uint64_t Look(uint64_t arrived, const std::function<uint64_t()>& accounted,
                const std::function<bool()>& wait) {
    for (;;) {
      const uint64_t known = accounted() + unseen_;
      if (arrived <= known) return unseen_;
      if (!wait()) return unseen_ += arrived - known;
    }
  }

 private:
  uint64_t unseen_ = 0;
};

}  // namespace tester
