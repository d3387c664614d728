// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The memory of a flow: its state and the links of the timer wheel in one cache line, its identity
// beside the hash table, and cold words, which few packets need.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "responder/machine/machine.h"

namespace tester::machine {

using Key = std::array<uint8_t, kMaxKeyBytes>;  // as its packets arrive; zeros behind it
using Link = std::array<uint8_t, 12>;           // Ethernet addresses of what is sent

// Copies a field of whole bytes; most are ports and IPv4 addresses, and pairs of them.
inline void CopyField(uint8_t* to, const uint8_t* from, size_t bytes) {
  if (bytes == 4) {
    std::memcpy(to, from, 4);
  } else if (bytes == 8) {
    std::memcpy(to, from, 8);
  } else if (bytes == 2) {
    std::memcpy(to, from, 2);
  } else {
    std::memcpy(to, from, bytes);
  }
}

struct Identity {
  Link link{};
  Key key{};
};

inline constexpr uint32_t kNoFlow = UINT32_MAX;

struct alignas(64) Flow {
  std::array<uint64_t, kLineWords> words{};
  uint32_t next = kNoFlow;  // in the wheel
  uint32_t previous = kNoFlow;
};
static_assert(sizeof(Flow) == 64);

// Above the bits that a protocol's registers may have, in the last word of the line.
inline constexpr uint32_t kLineBits = 416;
inline constexpr uint8_t kReservedWord = kLineWords - 1;
inline constexpr Register kRunning = Register::Of(kLineBits, kMaxTimers);
inline constexpr Register kFailed = Register::Of(kLineBits + kMaxTimers, 1);
inline constexpr Register kSlot = Register::Of(kLineBits + 16, 11);    // wheel.h; 0: none
inline constexpr Register kStopped = Register::Of(kLineBits + 27, 1);  // it has had kStopEvent
static_assert(kStopped.word == kReservedWord && kStopped.shift < 64);
static_assert(kSlot.word == kReservedWord && kSlot.shift + kSlot.bits <= 64 && kMaxTimers < 16);

// A flow that is not in the table, or not yet.
struct FreshFlow {
  Flow flow{};
  std::array<uint64_t, kColdWordCount> cold_words{};
  Identity identity{};

  State state() { return {.line = flow.words.data(), .cold_words = cold_words.data()}; }
};

}  // namespace tester::machine
