// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Flows by their keys: records in arrays, and slots of a hash table that point at them. A flow
// takes its line of 64 bytes, its addresses (24 bytes for TCP over IPv4, 48 at most), its cold
// words, and 11 to 22 bytes of slots. All of it is touched when it is made.
#pragma once

#include <cstdint>

#include "base/huge_array.h"
#include "base/open_table.h"
#include "responder/flows/flow.h"

namespace tester::machine {

class FlowTable {
 public:
  // Bytes of memory for so many flows.
  static uint64_t BytesFor(uint32_t capacity, size_t key_bytes, size_t cold_word_count);

  // At least one flow. `seed`: keeps it secret which keys share a slot.
  FlowTable(uint32_t capacity, size_t key_bytes, size_t cold_word_count, uint64_t seed);

  uint64_t Hash(const Key& key) const;
  // kNoFlow: not in the table.
  uint32_t Find(const Key& key, uint64_t hash) const;
  // A copy of a flow that is not there yet. Not when it is full. A record stays in the wheel from
  // flow to flow.
  uint32_t Insert(const FreshFlow& flow, uint64_t hash);
  // `index` has no running timer any more.
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
  uint32_t slots() const { return static_cast<uint32_t>(slots_.size()); }
  // kNoFlow: the slot is free.
  uint32_t InSlot(uint32_t slot) const { return slots_[slot].flow - 1; }

  // With the index of each.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (uint32_t at = 0; at < slots(); ++at) {
      if (InSlot(at) != kNoFlow) visit(InSlot(at));
    }
  }

  // Prefetch for a burst: first the slots of all frames, then their flows.
  void PrefetchSlot(uint64_t hash) const { slots_.Prefetch(hash); }
  void PrefetchFlow(uint64_t hash) const;

 private:
  struct Slot {
    uint32_t tag;   // the upper half of the hash
    uint32_t flow;  // plus 1; 0: free

    bool IsFree() const { return flow == 0; }
  };

  static uint32_t TagOf(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }
  uint8_t* IdentityAt(uint32_t index) const { return &identities_[index * identity_bytes_]; }
  bool Equal(const Key& key, uint32_t index) const;
  size_t FindSlot(const Key& key, uint64_t hash) const;

  const uint32_t capacity_;
  const size_t key_words_;
  const size_t identity_bytes_;  // a link and a key
  const size_t cold_word_count_;
  const uint64_t seed_;
  uint32_t size_ = 0;
  uint32_t fresh_ = 0;       // records from here on were never used
  uint32_t free_ = kNoFlow;  // list of freed records, linked by their first words
  HugeArray<Flow> flows_;
  HugeArray<uint8_t> identities_;
  HugeArray<uint64_t> cold_words_;
  OpenTable<Slot, HugeArray> slots_;
};

}  // namespace tester::machine
