// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Until when there is traffic. Workers that only receive learn of it from those that send, and poll
// without pause as well.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace tester {

class Activity {
 public:
  // Tells what one worker knows, to within a millisecond, so that workers seldom write what all
  // read. Returns what is known of all.
  uint64_t Share(uint64_t until_ns) {
    const uint64_t known_ns = until_ns_.load(std::memory_order_relaxed);
    if (until_ns > known_ns + kStepNs) until_ns_.store(until_ns, std::memory_order_relaxed);
    return std::max(until_ns, known_ns);
  }

 private:
  static constexpr uint64_t kStepNs = 1'000'000;

  alignas(64) std::atomic<uint64_t> until_ns_{0};
};

}  // namespace tester
