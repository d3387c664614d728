// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/hold/frame_store.h"

#include <algorithm>
#include <cstring>

namespace tester {
namespace {

// At least one: an empty frame has a place, too.
size_t BlocksOf(size_t bytes) {
  return std::max<size_t>(1, (bytes + FrameStore::kBlockBytes - 1) / FrameStore::kBlockBytes);
}

}  // namespace

FrameStore::FrameStore(size_t bytes)
    : memory_(bytes / kBlockBytes * kBlockBytes),
      next_(bytes / kBlockBytes),
      free_(next_.empty() ? kNone : 0),
      free_blocks_(next_.size()) {
  for (size_t i = 0; i < next_.size(); ++i) {
    next_[i] = i + 1 < next_.size() ? static_cast<uint32_t>(i + 1) : kNone;
  }
}

std::optional<FrameStore::Stored> FrameStore::Put(Frame frame) {
  const size_t count = BlocksOf(frame.size());
  if (count > free_blocks_) return std::nullopt;
  const Stored stored{.block = free_, .bytes = static_cast<uint32_t>(frame.size())};
  for (size_t at = 0; at < frame.size(); at += kBlockBytes) {
    const size_t part = std::min(kBlockBytes, frame.size() - at);
    std::memcpy(memory_.data() + size_t{free_} * kBlockBytes, frame.data() + at, part);
    free_ = next_[free_];
  }
  if (frame.empty()) free_ = next_[free_];
  free_blocks_ -= count;
  return stored;
}

void FrameStore::Take(Stored stored, uint8_t* to) {
  uint32_t block = stored.block;
  for (size_t at = 0; at < stored.bytes; at += kBlockBytes) {
    const size_t part = std::min<size_t>(kBlockBytes, stored.bytes - at);
    std::memcpy(to + at, memory_.data() + size_t{block} * kBlockBytes, part);
    block = next_[block];
  }
  Free(stored);
}

void FrameStore::Free(Stored stored) {
  const size_t count = BlocksOf(stored.bytes);
  uint32_t last = stored.block;
  for (size_t i = 1; i < count; ++i) last = next_[last];
  next_[last] = free_;
  free_ = stored.block;
  free_blocks_ += count;
}

}  // namespace tester
