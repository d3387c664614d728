// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The bytes of frames that a path holds, in blocks: a frame takes as many as it needs. They are its
// own, so that drivers keep their buffers however long it waits. All memory is taken when it is
// made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "wire/bytes.h"

namespace tester {

class FrameStore {
 public:
  static constexpr size_t kBlockBytes = 256;

  // A frame that is stored: its first block, and its bytes.
  struct Stored {
    uint32_t block;
    uint32_t bytes;
  };

  explicit FrameStore(size_t bytes);

  // The number of frames that fit if none is longer than a block.
  size_t blocks() const { return next_.size(); }
  // Nothing without room; the store is unchanged then.
  std::optional<Stored> Put(Frame frame);
  // Copies a frame out and removes it; `to` has room for its bytes.
  void Take(Stored stored, uint8_t* to);
  void Drop(Stored stored) { Free(stored); }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  void Free(Stored stored);

  std::vector<uint8_t> memory_;
  std::vector<uint32_t> next_;  // the next block, of a frame or of the free list
  uint32_t free_;
  size_t free_blocks_;
};

}  // namespace tester
