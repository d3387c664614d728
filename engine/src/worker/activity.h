// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The end of the present traffic. Workers that only receive learn it from workers that send, and
// poll without pause as well.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace tester {

class Activity {
 public:
  // Shares until when a worker is active, to within a millisecond, so that workers seldom write the
  // shared line. Returns the value of all workers.
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
