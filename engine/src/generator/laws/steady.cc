// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/laws/steady.h"

#include <algorithm>
#include <utility>

#include "base/int128.h"
#include "base/saturate.h"

namespace tester {

Steady::Steady(const Rate& tick, std::vector<Stage> stages)
    : tick_(tick), stages_(std::move(stages)) {}

// The tick before the first stage that has number k behind the last one: each stage is undone, from
// the last to the first.
uint64_t Steady::TickOf(uint64_t k) const {
  for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage) {
    const Uint128 cycles = k / stage->passes;
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
