// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The stations behind the several ports of a path's first end, by the addresses that they send
// from. Its memory is taken when it is made.
#pragma once

#include <cstdint>
#include <vector>

#include "base/mix.h"
#include "wire/bytes.h"

namespace tester {

class Stations {
 public:
  static constexpr size_t kEverywhere = SIZE_MAX;
  // Later ones are not known, and what is for them goes everywhere.
  static constexpr size_t kMost = 4096;

  Stations() : slots_(2 * kMost) {}

  // A frame has come from behind the port of this number.
  void Learn(const uint8_t* frame, size_t port) {
    const uint64_t address = Address(frame + kAddressBytes);
    if (IsGroup(address)) return;
    uint64_t& slot = SlotOf(address);
    if (slot == 0 && known_++ >= kMost) {
      known_ = kMost;
      return;
    }
    slot = address << 16 | (port + 1);
  }

  // The number of the port behind which the receiver of a frame is.
  size_t PortFor(const uint8_t* frame) {
    const uint64_t address = Address(frame);
    if (IsGroup(address)) return kEverywhere;
    const uint64_t slot = SlotOf(address);
    return slot == 0 ? kEverywhere : (slot & 0xffff) - 1;
  }

 private:
  static constexpr size_t kAddressBytes = 6;

  static uint64_t Address(const uint8_t* at) {
    return uint64_t{wire::Load<uint16_t>(at)} << 32 | wire::Load<uint32_t>(at + 2);
  }
  static bool IsGroup(uint64_t address) { return (address >> 40 & 1) != 0; }

  // Where an address is kept, or would be.
  uint64_t& SlotOf(uint64_t address) {
    const size_t mask = slots_.size() - 1;
    size_t index = Mix(kMixBegin, address) & mask;
    while (slots_[index] != 0 && slots_[index] >> 16 != address) index = (index + 1) & mask;
    return slots_[index];
  }

  std::vector<uint64_t> slots_;  // an address, and the number of its port from 1; 0: none
  size_t known_ = 0;
};

}  // namespace tester
