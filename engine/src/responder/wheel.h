// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// When flows are to be woken: a timing wheel of four rings of 256 slots, by the microsecond
// (Varghese and Lauck, 1987). A flow is in it once at most.
#pragma once

#include <array>
#include <cstdint>

#include "responder/flow.h"
#include "responder/flow_table.h"

namespace tester::machine {

class Wheel {
 public:
  explicit Wheel(const FlowTable& flows) : flows_(flows) { slots_.fill(kNoFlow); }

  // `due_us` is not before the wheel's time and less than 2^31 after it.
  void Arm(uint32_t index, uint32_t due_us);
  void Disarm(uint32_t index);

  // The next flow that is due by `now_us`, disarmed, its time being the wheel's from then on; or
  // else kNoFlow, and `now_us` is. Never goes back, and at most 2^31 - 1 on.
  uint32_t Next(uint32_t now_us);
  uint32_t now_us() const { return now_us_; }

 private:
  static constexpr uint32_t kRings = 4;
  static constexpr uint32_t kSlots = 256;
  static constexpr uint32_t kHead = uint32_t{1}
                                    << 31;  // in Flow::previous: the slot whose first it is

  void Put(uint32_t index, uint32_t due_us);
  // The first slot of a ring from `from` on that is not empty; kSlots: none.
  uint32_t FirstFrom(uint32_t ring, uint32_t from) const;
  void Spread(uint32_t slot);

  const FlowTable& flows_;
  uint32_t now_us_ = 0;
  std::array<uint32_t, kRings * kSlots> slots_;  // the first flow of each
  std::array<uint64_t, kRings * kSlots / 64> taken_{};
};

}  // namespace tester::machine
