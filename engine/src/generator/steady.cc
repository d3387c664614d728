// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/steady.h"

#include <algorithm>
#include <utility>

#include "generator/saturate.h"

namespace tester {

Steady::Steady(const Rate& tick, std::vector<Stage> stages)
    : tick_(tick), stages_(std::move(stages)) {}

// What is number k behind a stage was this number before it; from the last stage to the first.
uint64_t Steady::TickOf(uint64_t k) const {
  for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage) {
    const Wide cycles = k / stage->passes;
    k = Saturate(cycles * (stage->passes + stage->skips) + k % stage->passes);
  }
  return k;
}

uint64_t Steady::Survivors(uint64_t ticks) const {
  for (const auto& stage : stages_) {
    const uint64_t cycle = stage.passes + stage.skips;
    ticks = ticks / cycle * stage.passes + std::min(ticks % cycle, stage.passes);
  }
  return ticks;
}

}  // namespace tester
