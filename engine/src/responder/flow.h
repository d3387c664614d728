// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// What is kept of a flow: two cache lines.
#pragma once

#include <array>
#include <cstdint>

#include "responder/machine.h"

namespace tester::machine {

using Key = std::array<uint8_t, kMaxKeyBytes>;  // as its packets arrive; zeros behind it
using Link = std::array<uint8_t, 12>;           // Ethernet addresses of what is sent

inline constexpr uint32_t kNoFlow = UINT32_MAX;

struct alignas(64) Flow {
  Words words{};
  Key key{};
  Link link{};
  uint32_t next = kNoFlow;      // in a list: of the wheel, or of what is free
  uint32_t previous = kNoFlow;  // in the wheel
  uint32_t armed_us = 0;        // when the wheel wakes it
  uint16_t running = 0;         // a bit for each timer
  bool armed = false;
  bool failed = false;
};
static_assert(sizeof(Flow) == 128);

}  // namespace tester::machine
