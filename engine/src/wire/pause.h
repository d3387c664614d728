// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Flow control frames: PAUSE (IEEE 802.3 annex 31B) and priority-based PAUSE (IEEE 802.1Q clause
// 36).
#pragma once

#include "wire/bytes.h"

namespace tester::wire {

inline constexpr uint16_t kEtherTypeMacControl = 0x8808;
inline constexpr uint16_t kPause = 0x0001;
inline constexpr uint16_t kPriorityPause = 0x0101;

inline bool IsPause(Frame frame) {
  constexpr size_t kType = 12;
  constexpr size_t kOpcode = 14;
  if (frame.size() < kOpcode + 2 || Load16(frame.data() + kType) != kEtherTypeMacControl)
    return false;
  const uint16_t opcode = Load16(frame.data() + kOpcode);
  return opcode == kPause || opcode == kPriorityPause;
}

}  // namespace tester::wire
