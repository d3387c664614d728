// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// How much a machine may have.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tester::machine {

inline constexpr size_t kMaxHeaders = 16;
inline constexpr size_t kMaxKeyBytes = 36;
inline constexpr size_t kMaxTimers = 15;
inline constexpr size_t kMaxFrameBytes = 16'384;  // that a responder sends
inline constexpr size_t kMaxFillBytes = 65'536;   // that repeat in a body
inline constexpr uint32_t kMaxFollowing = 8;      // steps and scans of a row
inline constexpr size_t kMaxEdges = 8;            // of what is transmitted
inline constexpr size_t kMaxTables = 4;
inline constexpr uint8_t kNarrowBits = 63;  // of a number that fits with its sign
inline constexpr uint16_t kNone = UINT16_MAX;
inline constexpr uint16_t kPacketEvent = 0;
inline constexpr uint16_t kStartEvent = 1;
inline constexpr uint16_t kStopEvent = 2;

}  // namespace tester::machine
