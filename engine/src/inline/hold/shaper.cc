// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/hold/shaper.h"

#include "base/int128.h"
#include "wire/ethernet.h"

namespace tester {

Shaper::Shaper(const ShaperPlan& plan)
    : plan_(plan),
      per_byte_(((8'000'000'000ULL << kFractionBits) + plan.bits_per_second / 2) /
                plan.bits_per_second),
      leaving_ns_(plan.queue_frames) {}

bool Shaper::HasRoom(uint64_t bytes, uint64_t now_ns) {
  if (plan_.queue_frames == 0) {
    const uint64_t behind_ns = free_ns_ > now_ns ? free_ns_ - now_ns : 0;
    const Uint128 backlog = ((Uint128{behind_ns} << kFractionBits) + per_byte_ - 1) / per_byte_;
    return backlog + bytes <= plan_.queue_bytes;
  }
  while (count_ != 0 && leaving_ns_[begin_] <= now_ns) {
    begin_ = begin_ + 1 == leaving_ns_.size() ? 0 : begin_ + 1;
    --count_;
  }
  return count_ < leaving_ns_.size();
}

std::optional<uint64_t> Shaper::Leaves(uint64_t bytes, uint64_t now_ns) {
  const uint64_t taken = bytes + wire::kFcsBytes + plan_.overhead_bytes;
  if (!HasRoom(taken, now_ns)) return std::nullopt;
  if (free_ns_ < now_ns) {
    free_ns_ = now_ns;
    free_fraction_ = 0;
  }
  const uint64_t time = taken * per_byte_ + free_fraction_;
  free_ns_ += time >> kFractionBits;
  free_fraction_ = time & ((uint64_t{1} << kFractionBits) - 1);
  if (!leaving_ns_.empty()) {
    leaving_ns_[(begin_ + count_) % leaving_ns_.size()] = free_ns_;
    ++count_;
  }
  return free_ns_;
}

}  // namespace tester
