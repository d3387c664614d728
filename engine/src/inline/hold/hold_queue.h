// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames that wait for an instant: a FIFO for frames that keep their order, a binary heap for
// frames that may be overtaken. It allocates when it is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "inline/hold/frame_store.h"

namespace tester {

struct HeldFrame {
  uint64_t due_ns;
  uint64_t number;  // in which they came: of equal instants the earlier one leaves first
  FrameStore::Stored stored;
};

class HoldQueue {
 public:
  static constexpr uint64_t kNever = UINT64_MAX;

  // `most`: the most frames in it.
  explicit HoldQueue(size_t most);

  // A frame that keeps its order: it is due no earlier than the one before. Returns when it is due.
  uint64_t PushOrdered(FrameStore::Stored stored, uint64_t due_ns);
  // A frame that may overtake and be overtaken.
  void PushLoose(FrameStore::Stored stored, uint64_t due_ns);
  // Removes the next frame that is due by now.
  std::optional<HeldFrame> Pop(uint64_t now_ns);

  uint64_t next_due_ns() const;
  size_t size() const { return ordered_count_ + loose_.size(); }
  bool has_ordered() const { return ordered_count_ != 0; }

 private:
  const HeldFrame& first_ordered() const { return ordered_[begin_]; }
  bool LooseIsNext() const;

  std::vector<HeldFrame> ordered_;  // a ring
  size_t begin_ = 0;
  size_t ordered_count_ = 0;
  uint64_t floor_ns_ = 0;         // the last frame that keeps its order is due then
  std::vector<HeldFrame> loose_;  // a heap
  uint64_t number_ = 0;
};

}  // namespace tester
