// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A link with a rate behind a queue that drops frames when it is full. It holds no frames: it
// computes when the last bit of a frame would have left.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inline/path_plan.h"

namespace tester {

class Shaper {
 public:
  explicit Shaper(const ShaperPlan& plan);

  // The instant at which a frame of `bytes` bytes without FCS leaves if it arrives now; nothing
  // where it is dropped.
  std::optional<uint64_t> Leaves(uint64_t bytes, uint64_t now_ns);

 private:
  // Times in 2^-20 ns: 10^12 bit/s are exact to 0.004 %.
  static constexpr unsigned kFractionBits = 20;

  bool HasRoom(uint64_t bytes, uint64_t now_ns);

  const ShaperPlan plan_;
  const uint64_t per_byte_;  // of that unit
  // The last bit of the last frame leaves then.
  uint64_t free_ns_ = 0;
  uint64_t free_fraction_ = 0;
  // When the frames in the queue leave: a ring, if frames bound it.
  std::vector<uint64_t> leaving_ns_;
  size_t begin_ = 0;
  size_t count_ = 0;
};

}  // namespace tester
