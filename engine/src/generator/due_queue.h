// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The next stream to serve, among many: a heap with four branches, ordered by due time. Its keys
// are adjacent, so finding the next one of thousands touches few cache lines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tester {

class DueQueue {
 public:
  struct Item {
    uint64_t due_ns;
    uint32_t index;
  };

  // Never holds more than `most` items, so that it never allocates.
  explicit DueQueue(size_t most) { heap_.reserve(most); }

  bool Empty() const { return heap_.empty(); }
  // The item that is due first. The queue is not empty.
  const Item& Top() const { return heap_.front(); }
  // One of these is due next after the top, unless an item is pushed before.
  std::span<const Item> Seconds() const {
    const std::span<const Item> all(heap_);
    return all.size() < 2 ? all.first(0) : all.subspan(1, std::min(kBranches, all.size() - 1));
  }

  void Push(Item item) {
    size_t at = heap_.size();
    heap_.push_back(item);
    while (at > 0) {
      const size_t parent = (at - 1) / kBranches;
      if (heap_[parent].due_ns <= item.due_ns) break;
      heap_[at] = heap_[parent];
      at = parent;
    }
    heap_[at] = item;
  }

  void Pop() {
    const Item last = heap_.back();
    heap_.pop_back();
    if (heap_.empty()) return;
    size_t at = 0;
    for (size_t child = 1; child < heap_.size(); child = at * kBranches + 1) {
      const size_t end = std::min(child + kBranches, heap_.size());
      size_t first = child;
      for (size_t i = child + 1; i < end; ++i) {
        if (heap_[i].due_ns < heap_[first].due_ns) first = i;
      }
      if (heap_[first].due_ns >= last.due_ns) break;
      heap_[at] = heap_[first];
      at = first;
    }
    heap_[at] = last;
  }

 private:
  static constexpr size_t kBranches = 4;
  std::vector<Item> heap_;
};

}  // namespace tester
