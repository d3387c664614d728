// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The base transport header of RoCEv2 (InfiniBand Architecture Specification 1.5, 9.2).
#pragma once

#include <cstddef>
#include <cstdint>

#include "wire/bytes.h"

namespace tester::wire {

inline constexpr uint16_t kRocePort = 4791;  // of UDP
inline constexpr size_t kBthBytes = 12;
inline constexpr size_t kIcrcBytes = 4;  // behind the payload

struct Bth {
  uint8_t opcode;
  uint32_t queue_pair;  // of the receiver
  uint32_t psn;

  static Bth At(const uint8_t* at) {
    constexpr uint32_t kLow24 = 0xffffff;
    return {.opcode = at[0],
            .queue_pair = Load<uint32_t>(at + 4) & kLow24,
            .psn = Load<uint32_t>(at + 8) & kLow24};
  }

  // The upper three bits are the transport service, the lower five the operation.
  uint8_t operation() const { return opcode & 0x1fU; }
  // It acknowledges or notifies: its PSN is of the other direction, or none.
  bool answers() const {
    constexpr uint8_t kNotification = 0x81;
    constexpr uint8_t kAcknowledge = 0x11;
    constexpr uint8_t kAtomicAcknowledge = 0x12;
    return opcode == kNotification || operation() == kAcknowledge ||
           operation() == kAtomicAcknowledge;
  }
  // SEND, WRITE or a response to READ. Requests for READ and atomic operations have no data.
  bool carries_data() const {
    constexpr uint8_t kReadRequest = 0x0c;
    constexpr uint8_t kCompareSwap = 0x13;
    constexpr uint8_t kFetchAdd = 0x14;
    const uint8_t which = operation();
    return !answers() && which != kReadRequest && which != kCompareSwap && which != kFetchAdd;
  }
};

}  // namespace tester::wire
