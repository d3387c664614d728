// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Bytes from one writer to one reader. The memory is mapped twice in a row, so every record is in
// one piece.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tester {

class Ring {
 public:
  // A power of two, at least a page. RESOURCE_EXHAUSTED.
  explicit Ring(size_t bytes);
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // The writer's: room behind the bytes reserved since the last Publish; nullptr without enough
  // room.
  uint8_t* Reserve(size_t bytes) {
    const uint64_t end = reserved_ + bytes;
    if (end - tail_seen_ > bytes_) {
      tail_seen_ = tail_.load(std::memory_order_acquire);
      if (end - tail_seen_ > bytes_) return nullptr;
    }
    uint8_t* const place = At(reserved_);
    reserved_ = end;
    return place;
  }
  // How far it has been reserved; a place to publish up to.
  uint64_t reserved() const { return reserved_; }
  // Space that was reserved behind this place is given back.
  void Publish(uint64_t place) {
    reserved_ = place;
    head_.store(place, std::memory_order_release);
  }

  // The reader's: the published bytes, and the number of them that it has read.
  std::span<const uint8_t> Readable() const {
    const uint64_t tail = tail_.load(std::memory_order_relaxed);
    return {At(tail), head_.load(std::memory_order_acquire) - tail};
  }
  void Release(size_t bytes) {
    tail_.store(tail_.load(std::memory_order_relaxed) + bytes, std::memory_order_release);
  }

 private:
  uint8_t* At(uint64_t place) const { return memory_ + (place & (bytes_ - 1)); }

  size_t bytes_;
  uint8_t* memory_;
  // Used by the writer only.
  uint64_t reserved_ = 0;
  uint64_t tail_seen_ = 0;
  alignas(64) std::atomic<uint64_t> head_{0};
  alignas(64) std::atomic<uint64_t> tail_{0};
};

}  // namespace tester
