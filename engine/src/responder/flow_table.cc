// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/flow_table.h"

#include <cstring>

namespace tester::machine {
namespace {

// At most three quarters of the slots are taken.
uint32_t SlotsFor(uint32_t capacity) {
  return static_cast<uint32_t>(std::bit_ceil(uint64_t{capacity} * 4 / 3 + 1));
}

uint32_t Word(const Key& key, size_t index) {
  uint32_t word;
  std::memcpy(&word, key.data() + index * sizeof word, sizeof word);
  return word;
}

}  // namespace

FlowTable::FlowTable(uint32_t capacity, size_t key_bytes, uint64_t seed)
    : capacity_(capacity),
      mask_(SlotsFor(capacity) - 1),
      key_words_((key_bytes + 3) / 4),
      seed_(seed),
      flows_(capacity),
      slots_(SlotsFor(capacity)) {}

uint64_t FlowTable::Hash(const Key& key) const {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  uint64_t hash = seed_;
  for (size_t i = 0; i < key_words_; ++i) {
    hash = (hash ^ Word(key, i)) * kOdd;
    hash ^= hash >> 32;
  }
  return hash * kOdd;
}

bool FlowTable::Equal(const Key& key, const Flow& flow) const {
  for (size_t i = 0; i < key_words_; ++i) {
    if (Word(key, i) != Word(flow.key, i)) return false;
  }
  return true;
}

uint32_t FlowTable::FindSlot(const Key& key, uint64_t hash) const {
  const auto tag = static_cast<uint32_t>(hash >> 32);
  for (uint32_t at = SlotOf(hash); slots_[at].flow != 0; at = (at + 1) & mask_) {
    if (slots_[at].tag == tag && Equal(key, flows_[slots_[at].flow - 1])) return at;
  }
  return kNoFlow;
}

uint32_t FlowTable::Find(const Key& key, uint64_t hash) const {
  const uint32_t slot = FindSlot(key, hash);
  return slot == kNoFlow ? kNoFlow : slots_[slot].flow - 1;
}

void FlowTable::PrefetchFlow(uint64_t hash) const {
  const Slot& slot = slots_[SlotOf(hash)];
  if (slot.flow == 0) return;
  const Flow& flow = flows_[slot.flow - 1];
  __builtin_prefetch(&flow);
  __builtin_prefetch(&flow.key);
}

uint32_t FlowTable::Insert(const Flow& flow, uint64_t hash) {
  uint32_t index = free_;
  if (index != kNoFlow) {
    free_ = flows_[index].next;
  } else {
    index = fresh_++;
  }
  flows_[index] = flow;
  uint32_t at = SlotOf(hash);
  while (slots_[at].flow != 0) at = (at + 1) & mask_;
  slots_[at] = {.tag = static_cast<uint32_t>(hash >> 32), .flow = index + 1};
  ++size_;
  return index;
}

void FlowTable::Erase(uint32_t index) {
  uint32_t hole = FindSlot(flows_[index].key, Hash(flows_[index].key));
  // What came behind it because it was there moves up, so no search ends too early.
  for (uint32_t at = (hole + 1) & mask_; slots_[at].flow != 0; at = (at + 1) & mask_) {
    const uint32_t home = slots_[at].tag & mask_;
    if (((at - home) & mask_) < ((at - hole) & mask_)) continue;
    slots_[hole] = slots_[at];
    hole = at;
  }
  slots_[hole].flow = 0;
  flows_[index].next = free_;
  free_ = index;
  --size_;
}

}  // namespace tester::machine
