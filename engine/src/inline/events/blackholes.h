// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Where packets of a path disappear for a time, from one on that an event has selected. Used by one
// worker; it takes memory when it is made, and none later.
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

  // How many there are in a direction; those that are over may be among them.
  size_t count(size_t direction) const { return holes_[direction].size(); }
  // Those that are not over.
  const std::vector<Hole>& Now(size_t direction, uint64_t now_ns);
  // False: the event has one already, which does not last longer for it.
  bool Open(size_t direction, const Hole& hole);
  // That of an event is over, in both directions.
  void Close(uint32_t event);

 private:
  std::array<std::vector<Hole>, kPathDirections> holes_;
};

}  // namespace tester
