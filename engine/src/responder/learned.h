// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Answers of neighbours, from the worker that receives them to the thread that asked.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "responder/neighbour.h"

namespace tester {

// One writer, one reader. A full ring loses new entries: the client asks again.
class LearnedRing {
 public:
  void Push(const Neighbour& neighbour) {
    const size_t head = head_.load(std::memory_order_relaxed);
    if (head - tail_.load(std::memory_order_acquire) == kSlots) return;
    slots_[head % kSlots] = neighbour;
    head_.store(head + 1, std::memory_order_release);
  }

  std::optional<Neighbour> Pop() {
    const size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail == head_.load(std::memory_order_acquire)) return std::nullopt;
    const Neighbour neighbour = slots_[tail % kSlots];
    tail_.store(tail + 1, std::memory_order_release);
    return neighbour;
  }

 private:
  static constexpr size_t kSlots = 256;
  std::array<Neighbour, kSlots> slots_{};
  alignas(64) std::atomic<size_t> head_{0};
  alignas(64) std::atomic<size_t> tail_{0};
};

}  // namespace tester
