// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Counts by keys, exact: every key is compared as a whole, and one that finds no room is refused.
// Rows lie in the order in which their keys were first seen. Testers send fields that step, so keys
// come again in that order, and the row of a key is mostly the one behind the row before; an index
// of hashes finds the others. One writer; anybody reads at any time. Its memory is taken, and
// touched, before the first frame.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/burst.h"
#include "base/mapped.h"

namespace tester {

class KeyTable {
 public:
  static constexpr size_t kMostKeyWords = 6;
  using Key = std::array<uint64_t, kMostKeyWords>;

  // Words of a key, and those that are kept beside the count of its frames.
  struct Layout {
    size_t key_words;    // 1 to kMostKeyWords
    size_t value_words;  // 0 to 2
  };

  // A frame that is to be counted.
  struct Occurrence {
    Key key;
    uint64_t value;
    uint64_t hash;  // the table's
  };

  static constexpr uint32_t kMostKeys = 1U << 25;

  // How much memory a table of so many keys takes.
  static size_t BytesOf(uint32_t capacity, Layout layout) {
    return size_t{capacity} * StrideOf(layout) * sizeof(uint64_t) +
           PlacesOf(capacity) * sizeof(uint32_t);
  }

  // `capacity`: at most kMostKeys.
  KeyTable(uint32_t capacity, Layout layout);

  // Counts frames, at most kBurst, in any order; `change` gets the words beside a count, the count
  // before, and the frame's value. Returns how many had a new key, and found no room for it.
  template <typename Change>
  size_t Count(Occurrence* frames, size_t count, Change change) {
    switch (layout_.key_words) {
      case 1:
        return CountOf<1>(frames, count, change);
      case 2:
        return CountOf<2>(frames, count, change);
      default:
        return CountOf<0>(frames, count, change);
    }
  }

  // Its upper bits say where the index has a key.
  static uint64_t Hash(const Key& key, size_t words) {
    uint64_t hash = 0;
    for (size_t i = 0; i < words; ++i) {
      hash = (hash ^ key[i]) * kMultiplier;
      hash ^= hash >> 32;
    }
    return hash * kMultiplier;
  }

  static uint64_t Load(const uint64_t* word) {
    return std::atomic_ref(*const_cast<uint64_t*>(word)).load(std::memory_order_relaxed);
  }
  static void Store(uint64_t* word, uint64_t value) {
    std::atomic_ref(*word).store(value, std::memory_order_relaxed);
  }

  // The reader's. Rows up to the size stay, and only their counts and values change.
  uint32_t size() const { return size_.load(std::memory_order_acquire); }
  struct Row {
    uint64_t frames;
    uint64_t value;  // the first word beside the count; 0 where there is none
    Key key;
  };
  Row Read(uint32_t row) const;  // zeros behind the words of its key

 private:
  static constexpr uint64_t kMultiplier = 0x9e37'79b9'7f4a'7c15;
  static constexpr uint32_t kNone = UINT32_MAX;
  // Rows that are on their way while one is compared: none is needed behind the last.
  static constexpr size_t kAhead = 24;
  // Of a place of the index: a row's number plus one, below bits of its key's hash; 0: no row.
  static constexpr uint32_t kNumberMask = 2 * kMostKeys - 1;

  // At most two thirds of them are taken.
  static size_t PlacesOf(uint32_t capacity) {
    return std::bit_ceil(std::max<size_t>(size_t{capacity} * 3 / 2, 2));
  }
  static size_t StrideOf(Layout layout) { return 1 + layout.value_words + layout.key_words; }

  uint64_t* At(uint32_t row) const { return &rows_[row * stride_]; }
  uint64_t* KeyAt(uint64_t* row) const { return row + 1 + layout_.value_words; }

  // W: words of a key; 0: as the layout says.
  template <size_t W>
  size_t words() const {
    return W == 0 ? layout_.key_words : W;
  }

  template <size_t W>
  bool IsKey(uint64_t* row, const Key& key) const {
    const uint64_t* const own = KeyAt(row);
    for (size_t i = 0; i < words<W>(); ++i) {
      if (own[i] != key[i]) return false;
    }
    return true;
  }

  uint64_t PlaceOf(uint64_t hash) const { return hash >> shift_; }
  static uint32_t MarkOf(uint64_t hash) { return static_cast<uint32_t>(hash) & ~kNumberMask; }

  template <typename Change>
  void Add(uint64_t* row, const Occurrence& frame, Change& change) {
    const uint64_t frames = Load(row);
    change(row + 1, frames, frame.value);
    Store(row, frames + 1);
  }

  template <size_t W, typename Change>
  size_t CountOf(Occurrence* frames, size_t count, Change& change) {
    // First those that come in the order of the rows. For the others, all places of the index are
    // on their way while they are gathered, and then all rows.
    std::array<uint16_t, kBurst> sought;
    size_t left = 0;
    uint32_t next = next_;
    const uint32_t size = size_.load(std::memory_order_relaxed);
    for (size_t i = 0; i < count; ++i) {
      Occurrence& frame = frames[i];
      if (next >= size) next = 0;
      uint64_t* const row = At(next);
      __builtin_prefetch(row + kAhead * stride_, 1);
      if (IsKey<W>(row, frame.key) && size != 0) [[likely]] {
        Add(row, frame, change);
        ++next;
        continue;
      }
      frame.hash = Hash(frame.key, words<W>());
      __builtin_prefetch(&index_[PlaceOf(frame.hash)], 1);
      sought[left++] = static_cast<uint16_t>(i);
    }
    next_ = next;
    if (left == 0) [[likely]]
      return 0;
    for (size_t i = 0; i < left; ++i) {
      const uint32_t place = index_[PlaceOf(frames[sought[i]].hash)];
      __builtin_prefetch(At((place & kNumberMask) - (place != 0)), 1);
    }
    size_t missed = 0;
    for (size_t i = 0; i < left; ++i) {
      const Occurrence& frame = frames[sought[i]];
      const uint32_t row = FindOrMake<W>(frame);
      if (row == kNone) [[unlikely]] {
        ++missed;
        continue;
      }
      Add(At(row), frame, change);
      if (row == size_.load(std::memory_order_relaxed))
        size_.store(row + 1, std::memory_order_release);
      if (sought[i] == count - 1) next_ = row + 1;
    }
    return missed;
  }

  template <size_t W>
  uint32_t FindOrMake(const Occurrence& frame) {
    for (uint64_t place = PlaceOf(frame.hash);; place = (place + 1) & mask_) {
      const uint32_t there = index_[place];
      if (there == 0) {
        const uint32_t row = size_.load(std::memory_order_relaxed);
        if (row == capacity_) return kNone;
        uint64_t* const key = KeyAt(At(row));
        for (size_t i = 0; i < words<W>(); ++i) Store(key + i, frame.key[i]);
        index_[place] = MarkOf(frame.hash) | (row + 1);
        return row;
      }
      const uint32_t row = (there & kNumberMask) - 1;
      if ((there & ~kNumberMask) == MarkOf(frame.hash) && IsKey<W>(At(row), frame.key)) return row;
    }
  }

  const Layout layout_;
  const size_t stride_;
  const size_t mask_;
  const unsigned shift_;
  const uint32_t capacity_;
  std::atomic<uint32_t> size_{0};
  uint32_t next_ = 0;
  Mapped<uint64_t> rows_;
  Mapped<uint32_t> index_;
};

}  // namespace tester
