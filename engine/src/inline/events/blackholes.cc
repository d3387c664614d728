// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/events/blackholes.h"

#include <algorithm>

namespace tester {

Blackholes::Blackholes(size_t events) {
  for (auto& holes : holes_) holes.reserve(events);
}

const std::vector<Blackholes::Hole>& Blackholes::Now(size_t direction, uint64_t now_ns) {
  auto& holes = holes_[direction];
  std::erase_if(holes, [now_ns](const Hole& hole) { return hole.end_ns <= now_ns; });
  return holes;
}

bool Blackholes::Open(size_t direction, const Hole& hole) {
  auto& holes = holes_[direction];
  const bool known = std::ranges::find(holes, hole.event, &Hole::event) != holes.end();
  if (!known) holes.push_back(hole);
  return !known;
}

void Blackholes::Close(uint32_t event) {
  for (auto& holes : holes_) {
    std::erase_if(holes, [event](const Hole& hole) { return hole.event == event; });
  }
}

}  // namespace tester
