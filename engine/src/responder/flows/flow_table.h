// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Flows by their keys: records in arrays, and slots of a hash table that point at them. A flow
// takes its line of 64 bytes, its addresses (24 bytes for TCP over IPv4, 48 at most), what is kept
// aside, and 11 to 22 bytes of slots.
#pragma once

#include <bit>
#include <cstdint>

#include "base/mapped.h"
#include "responder/flows/flow.h"

namespace tester::machine {

class FlowTable {
 public:
  // At least one flow. `seed`: nobody outside can know which keys meet in a slot.
  FlowTable(uint32_t capacity, size_t key_bytes, size_t cold_word_count, uint64_t seed);

  uint64_t Hash(const Key& key) const;
  // kNoFlow: there is none.
  uint32_t Find(const Key& key, uint64_t hash) const;
  // A copy of a flow that is not there yet. Not when it is full. A record stays in the wheel from
  // flow to flow.
  uint32_t Insert(const FreshFlow& flow, uint64_t hash);
  // No timer of it is running any more.
  void Erase(uint32_t index);

  Flow& operator[](uint32_t index) const { return flows_[index]; }
  State StateOf(uint32_t index) const {
    return {.line = flows_[index].words.data(),
            .cold_words = &cold_words_[index * cold_word_count_]};
  }
  Identity IdentityOf(uint32_t index) const;
  void SetLink(uint32_t index, const Link& link);
  uint32_t size() const { return size_; }
  bool full() const { return size_ == capacity_; }

  // The places in which flows are found, which may change with each Erase.
  uint32_t slots() const { return mask_ + 1; }
  // kNoFlow: there is none in this slot.
  uint32_t InSlot(uint32_t slot) const { return slots_[slot].flow - 1; }

  // With the index of each.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (uint32_t at = 0; at <= mask_; ++at) {
      if (slots_[at].flow != 0) visit(slots_[at].flow - 1);
    }
  }

  // Before it is looked for: first for all of a burst, then the flows.
  void PrefetchSlot(uint64_t hash) const { __builtin_prefetch(&slots_[SlotOf(hash)]); }
  void PrefetchFlow(uint64_t hash) const;

 private:
  struct Slot {
    uint32_t tag;   // the upper half of the hash
    uint32_t flow;  // plus 1; 0: free
  };

  uint32_t SlotOf(uint64_t hash) const { return static_cast<uint32_t>(hash >> 32) & mask_; }
  uint8_t* IdentityAt(uint32_t index) const { return &identities_[index * identity_bytes_]; }
  bool Equal(const Key& key, uint32_t index) const;
  uint32_t FindSlot(const Key& key, uint64_t hash) const;

  const uint32_t capacity_;
  const uint32_t mask_;
  const size_t key_words_;
  const size_t identity_bytes_;  // a link and a key
  const size_t cold_word_count_;
  const uint64_t seed_;
  uint32_t size_ = 0;
  uint32_t fresh_ = 0;       // records from here on were never used
  uint32_t free_ = kNoFlow;  // a list of those that were, by their first words
  Mapped<Flow> flows_;
  Mapped<uint8_t> identities_;
  Mapped<uint64_t> cold_words_;
  Mapped<Slot> slots_;
};

}  // namespace tester::machine
