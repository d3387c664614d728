// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The signatures of frames in a capture file: it may hold frames that this tester sent.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "wire/signature.h"

namespace tester::wire {

// For each id and sum: the first and the last time of a signature. Sixteen bytes at the end of any
// frame count as one, so the number of ids and sums is limited; those beyond it are forgotten.
class SignatureTimes {
 public:
  static constexpr size_t kMost = 65536;

  void Add(const uint8_t* signature) {
    const uint32_t key = KeyOf(signature);
    const uint64_t time_ns = Signature::Read(signature).timestamp_ns;
    if (times_.size() >= kMost && !times_.contains(key)) return;
    Times& times = times_.try_emplace(key, Times{time_ns, time_ns}).first->second;
    times.first_ns = std::min(times.first_ns, time_ns);
    times.last_ns = std::max(times.last_ns, time_ns);
  }

  // Whether a frame with this signature may be of the file.
  bool Has(const uint8_t* signature) const {
    const auto at = times_.find(KeyOf(signature));
    const uint64_t time_ns = Signature::Read(signature).timestamp_ns;
    return at != times_.end() && at->second.first_ns <= time_ns && time_ns <= at->second.last_ns;
  }

 private:
  struct Times {
    uint64_t first_ns;
    uint64_t last_ns;
  };

  static uint32_t KeyOf(const uint8_t* signature) {
    return uint32_t{Load16(signature)} << 16 | SignatureSum(signature);
  }

  std::unordered_map<uint32_t, Times> times_;
};

}  // namespace tester::wire
