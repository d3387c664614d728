// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The wake-up times of flows: a timing wheel of four rings of 256 slots, by the microsecond
// (Varghese and Lauck, 1987). A flow is in it at most once. Its state says when it is due: a flow
// that wakes too early is armed again.
#pragma once

#include <array>
#include <cstdint>

#include "responder/flows/flow.h"
#include "responder/flows/flow_table.h"

namespace tester::machine {

class Wheel {
 public:
  explicit Wheel(const FlowTable& flows) : flows_(flows) { slots_.fill(kNoFlow); }

  // Wakes the flow by `due_us`, which is after the wheel's time by less than 2^31.
  void Arm(uint32_t index, uint32_t due_us);

  // Removes and returns the next flow that may be due by `now_us`; the wheel's time is then not
  // after its due time. kNoFlow: no flow is due, and the wheel's time is `now_us`. Time never goes
  // back, and advances by at most 2^31 - 1.
  uint32_t Next(uint32_t now_us);
  uint32_t now_us() const { return now_us_; }

 private:
  static constexpr uint32_t kRings = 4;
  static constexpr uint32_t kSlots = 256;
  static constexpr uint32_t kNoSlot = UINT32_MAX;

  void Disarm(uint32_t index, uint32_t slot);
  uint32_t BeginsUs(uint32_t slot) const;
  // The first slot of a ring from `from` on that is not empty; kSlots: none.
  uint32_t FirstFrom(uint32_t ring, uint32_t from) const;

  const FlowTable& flows_;
  uint32_t now_us_ = 0;
  uint32_t open_ = kNoSlot;                      // begins now, and is being emptied
  std::array<uint32_t, kRings * kSlots> slots_;  // the first flow of each
  std::array<uint64_t, kRings * kSlots / 64> taken_{};
};

}  // namespace tester::machine
