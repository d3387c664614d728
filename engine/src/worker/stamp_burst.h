// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Buffers as frames with room for stamps, and back.
#pragma once

#include <rte_mbuf.h>

#include <array>
#include <cstdint>
#include <span>

#include "base/burst.h"
#include "inline/stamps/stamp.h"

namespace tester {

class StampBurst {
 public:
  StampBurst(rte_mbuf** mbufs, uint16_t count);

  std::span<RoomyFrame> frames() { return {frames_.data(), count_}; }
  // Makes the buffers begin and end where the frames do.
  void Apply();

 private:
  rte_mbuf** const mbufs_;
  const uint16_t count_;
  std::array<RoomyFrame, kBurst> frames_;
};

}  // namespace tester
