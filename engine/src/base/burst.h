// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The frames of a stream that are written at once.
#pragma once

#include <cstdint>

namespace tester {

// The most frames that are written at once.
inline constexpr uint16_t kBurst = 64;

// Consecutive frames of a stream that leave at one instant.
struct FrameRun {
  uint64_t first;     // number of the first one
  uint16_t count;     // 1 to kBurst
  uint64_t sequence;  // of the first frame's signature; differs from `first` after an update
  uint64_t now_ns;
  uint8_t version;  // 0 or 1
};

}  // namespace tester
