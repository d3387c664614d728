// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Slots of a hash table with open addressing and linear probing. A Slot says with IsFree() whether
// it is empty, and is empty when it is zeroed. Memory is the array: Mapped, HugeArray or a vector.
//
// Keys that others choose need a hash with a secret (base/mix.h).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tester {

template <typename Slot, template <typename> typename Memory>
class OpenTable {
 public:
  // Has at least `slots` slots, a power of two. One of them must always stay free.
  explicit OpenTable(size_t slots)
      : mask_(SlotsFor(slots) - 1),
        shift_(64U - static_cast<unsigned>(std::countr_zero(mask_ + 1))),
        slots_(mask_ + 1) {}

  static constexpr size_t SlotsFor(size_t slots) {
    return std::bit_ceil(std::max<size_t>(slots, 2));
  }

  size_t size() const { return mask_ + 1; }
  decltype(auto) operator[](size_t index) { return slots_[index]; }
  decltype(auto) operator[](size_t index) const { return slots_[index]; }

  // The slot at which a search begins: the upper bits of the hash.
  size_t Home(uint64_t hash) const { return static_cast<size_t>(hash >> shift_); }
  void Prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[Home(hash)], 1); }

  // The slot for which `matches` is true, or else the free slot where it belongs.
  template <typename Matches>
  size_t Seek(uint64_t hash, Matches matches) const {
    size_t at = Home(hash);
    while (!slots_[at].IsFree() && !matches(slots_[at])) at = (at + 1) & mask_;
    return at;
  }
  template <typename Matches>
  decltype(auto) Find(uint64_t hash, Matches matches) {
    return slots_[Seek(hash, matches)];
  }
  template <typename Matches>
  decltype(auto) Find(uint64_t hash, Matches matches) const {
    return slots_[Seek(hash, matches)];
  }

  // Frees a slot. Entries behind it move up, so that no search ends too early. `hash_of` returns
  // the hash of a slot, of which only the upper bits count.
  template <typename HashOf>
  void Erase(size_t hole, HashOf hash_of) {
    for (size_t at = (hole + 1) & mask_; !slots_[at].IsFree(); at = (at + 1) & mask_) {
      const size_t home = Home(hash_of(slots_[at]));
      if (((at - home) & mask_) < ((at - hole) & mask_)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = Slot{};
  }

 private:
  const size_t mask_;
  const unsigned shift_;
  Memory<Slot> slots_;
};

}  // namespace tester
