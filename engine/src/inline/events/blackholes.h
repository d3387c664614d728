// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Blackholes of a path: for a time packets disappear, beginning with one that an event has
// selected. Used by one worker. It allocates when it is made, and never later.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "inline/path_plan.h"

namespace tester {

class Blackholes {
 public:
  static constexpr uint64_t kOpen = UINT64_MAX;

  struct Hole {
    uint32_t event;
    uint32_t flow;    // 0: packets of all flows, and of none
    uint64_t end_ns;  // kOpen: until it is closed
  };

  // Each event has one in a direction at most.
  explicit Blackholes(size_t events);

  // The number of blackholes in a direction, possibly with ended ones.
  size_t count(size_t direction) const { return holes_[direction].size(); }
  // The blackholes that are open.
  const std::vector<Hole>& Now(size_t direction, uint64_t now_ns);
  // False: the event has one already, which does not last longer for it.
  bool Open(size_t direction, const Hole& hole);
  // Closes the blackhole of an event in both directions.
  void Close(uint32_t event);

 private:
  std::array<std::vector<Hole>, kPathDirections> holes_;
};

}  // namespace tester
