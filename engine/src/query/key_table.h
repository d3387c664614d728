// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Counts by keys, exact: every key is compared as a whole, and one that finds no room is refused.
// One writer; anybody reads at any time. Its memory is taken, and touched, before the first frame.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/mapped.h"

namespace tester {

class KeyTable {
 public:
  static constexpr size_t kMostKeyWords = 6;
  using Key = std::array<uint64_t, kMostKeyWords>;  // zeros behind its words

  // Words of a key, and those that are kept beside the count of its frames.
  struct Layout {
    size_t key_words;    // 1 to kMostKeyWords
    size_t value_words;  // 0 to 2
  };

  // How much memory a table of so many keys takes.
  static size_t BytesOf(uint32_t capacity, Layout layout) {
    return SlotsOf(capacity) * StrideOf(layout) * sizeof(uint64_t);
  }

  KeyTable(uint32_t capacity, Layout layout);

  // The worker's, in two steps, so that what it looks for is in the cache then.
  uint64_t Hash(const Key& key) const {
    uint64_t hash = 0;
    for (size_t i = 0; i < layout_.key_words; ++i) {
      hash = (hash ^ key[i]) * kMultiplier;
      hash ^= hash >> 32;
    }
    return hash * kMultiplier;
  }
  void Prefetch(uint64_t hash) const { __builtin_prefetch(At(IndexOf(hash)), 1); }

  // Counts one frame of a key; `change` gets the words beside the count, and the count before.
  // False: the key is new, and there is no room for it.
  template <typename Change>
  bool Count(const Key& key, uint64_t hash, Change change) {
    uint64_t index = IndexOf(hash);
    for (;; index = (index + 1) & mask_) {
      uint64_t* const slot = At(index);
      const uint64_t frames = Load(slot);
      if (frames == 0) {
        if (size_.load(std::memory_order_relaxed) == capacity_) return false;
        for (size_t i = 0; i < layout_.key_words; ++i) Store(KeyAt(slot) + i, key[i]);
        change(slot + 1, 0);
        // A reader that finds the count finds the key.
        std::atomic_ref(*slot).store(1, std::memory_order_release);
        size_.store(size_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        return true;
      }
      if (!IsKey(slot, key)) continue;
      change(slot + 1, frames);
      Store(slot, frames + 1);
      return true;
    }
  }

  static uint64_t Load(const uint64_t* word) {
    return std::atomic_ref(*const_cast<uint64_t*>(word)).load(std::memory_order_relaxed);
  }
  static void Store(uint64_t* word, uint64_t value) {
    std::atomic_ref(*word).store(value, std::memory_order_relaxed);
  }

  // The reader's.
  uint32_t size() const { return size_.load(std::memory_order_relaxed); }
  size_t slots() const { return mask_ + 1; }
  struct Row {
    uint64_t frames;  // 0: there is none in this slot
    uint64_t value;   // the first word beside the count; 0 where there is none
    Key key;
  };
  Row Read(size_t slot) const;

 private:
  static constexpr uint64_t kMultiplier = 0x9e37'79b9'7f4a'7c15;

  // At most two thirds of them are taken.
  static size_t SlotsOf(uint32_t capacity) {
    return std::bit_ceil(std::max<size_t>(size_t{capacity} * 3 / 2, 2));
  }
  // A slot never lies in more lines of the cache than it has to.
  static size_t StrideOf(Layout layout) {
    return std::bit_ceil(1 + layout.value_words + layout.key_words);
  }

  uint64_t IndexOf(uint64_t hash) const { return hash >> shift_; }
  uint64_t* At(size_t slot) const { return &words_[slot * stride_]; }
  uint64_t* KeyAt(uint64_t* slot) const { return slot + 1 + layout_.value_words; }
  bool IsKey(uint64_t* slot, const Key& key) const {
    const uint64_t* const words = KeyAt(slot);
    if (words[0] != key[0]) return false;
    for (size_t i = 1; i < layout_.key_words; ++i) {
      if (words[i] != key[i]) return false;
    }
    return true;
  }

  const Layout layout_;
  const size_t stride_;
  const size_t mask_;
  const unsigned shift_;
  const uint32_t capacity_;
  std::atomic<uint32_t> size_{0};
  Mapped<uint64_t> words_;
};

}  // namespace tester
