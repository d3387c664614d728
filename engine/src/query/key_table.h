// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Exact counts by keys: whole keys are compared, and a key without room is refused. Rows are in the
// order in which their keys first appeared. Testers send fields that step, so keys repeat in that
// order, and the row of a key is mostly the one behind the row before; an index of hashes finds the
// others. One writer; any thread reads at any time. Its memory is allocated and touched before the
// first frame.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/burst.h"
#include "base/mapped.h"
#include "base/mix.h"
#include "base/open_table.h"

namespace tester {

class KeyTable {
 public:
  static constexpr size_t kMostKeyWords = 6;
  using Key = std::array<uint64_t, kMostKeyWords>;

  // Words of a key, and words beside its count.
  struct Layout {
    size_t key_words;    // 1 to kMostKeyWords
    size_t value_words;  // 0 to 2
  };

  // A frame to count.
  struct Occurrence {
    Key key;
    uint64_t value;
    uint64_t hash;  // the table's
  };

  static constexpr uint32_t kMostKeys = 1U << 25;

  // The memory of a table of `capacity` keys.
  static size_t BytesOf(uint32_t capacity, Layout layout) {
    return size_t{capacity} * StrideOf(layout) * sizeof(uint64_t) +
           Index::SlotsFor(SlotsOf(capacity)) * sizeof(IndexSlot);
  }

  // `capacity`: at most kMostKeys.
  KeyTable(uint32_t capacity, Layout layout);

  // Counts frames, at most kBurst, in any order. `change` gets the words beside a count, the count
  // before, and the frame's value. Returns the number of frames with a new key that found no room.
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
    uint64_t hash = kMixBegin;
    for (size_t i = 0; i < words; ++i) hash = Mix(hash, key[i]);
    return hash;
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
    uint64_t value;  // the first word beside the count; 0 without one
    Key key;
  };
  Row Read(uint32_t row) const;  // zeros behind the words of its key

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  // Rows that are prefetched while one is compared.
  static constexpr size_t kAhead = 24;
  // Bits of a key's hash, and the number of its row plus one.
  struct IndexSlot {
    static constexpr uint32_t kNumberMask = 2 * kMostKeys - 1;

    static IndexSlot Of(uint64_t hash, uint32_t row) { return {MarkOf(hash) | (row + 1)}; }
    static uint32_t MarkOf(uint64_t hash) { return static_cast<uint32_t>(hash) & ~kNumberMask; }
    bool IsFree() const { return word == 0; }
    bool HasMark(uint32_t mark) const { return (word & ~kNumberMask) == mark; }
    uint32_t row() const { return (word & kNumberMask) - 1; }

    uint32_t word;
  };
  using Index = OpenTable<IndexSlot, Mapped>;

  // At most two thirds of the slots are used.
  static size_t SlotsOf(uint32_t capacity) { return size_t{capacity} * 3 / 2; }
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

  template <typename Change>
  void Add(uint64_t* row, const Occurrence& frame, Change& change) {
    const uint64_t frames = Load(row);
    change(row + 1, frames, frame.value);
    Store(row, frames + 1);
  }

  template <size_t W, typename Change>
  size_t CountOf(Occurrence* frames, size_t count, Change& change) {
    // First the keys in the order of the rows. For the others, all entries of the index are
    // prefetched while they are gathered, and then all rows.
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
      index_.Prefetch(frame.hash);
      sought[left++] = static_cast<uint16_t>(i);
    }
    next_ = next;
    if (left == 0) [[likely]]
      return 0;
    for (size_t i = 0; i < left; ++i) {
      const IndexSlot slot = index_[index_.Home(frames[sought[i]].hash)];
      __builtin_prefetch(At(slot.IsFree() ? 0 : slot.row()), 1);
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
    IndexSlot& slot =
        index_.Find(frame.hash, [&, mark = IndexSlot::MarkOf(frame.hash)](IndexSlot used) {
          return used.HasMark(mark) && IsKey<W>(At(used.row()), frame.key);
        });
    if (!slot.IsFree()) return slot.row();
    const uint32_t row = size_.load(std::memory_order_relaxed);
    if (row == capacity_) return kNone;
    uint64_t* const key = KeyAt(At(row));
    for (size_t i = 0; i < words<W>(); ++i) Store(key + i, frame.key[i]);
    slot = IndexSlot::Of(frame.hash, row);
    return row;
  }

  const Layout layout_;
  const size_t stride_;
  const uint32_t capacity_;
  std::atomic<uint32_t> size_{0};
  uint32_t next_ = 0;
  Mapped<uint64_t> rows_;
  Index index_;
};

}  // namespace tester
