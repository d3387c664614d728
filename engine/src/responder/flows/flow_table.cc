// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/flows/flow_table.h"

#include <algorithm>
#include <cstring>

namespace tester::machine {
namespace {

// At most three quarters of the slots are taken.
size_t SlotsFor(uint32_t capacity) { return size_t{capacity} * 4 / 3 + 1; }

uint32_t Word(const uint8_t* key, size_t index) {
  uint32_t word;
  std::memcpy(&word, key + index * sizeof word, sizeof word);
  return word;
}

}  // namespace

uint64_t FlowTable::BytesFor(uint32_t capacity, size_t key_bytes, size_t cold_word_count) {
  const uint64_t identity = sizeof(Link) + (key_bytes + 3) / 4 * sizeof(uint32_t);
  return capacity * (sizeof(Flow) + identity + cold_word_count * sizeof(uint64_t)) +
         OpenTable<Slot, HugeArray>::SlotsFor(SlotsFor(capacity)) * sizeof(Slot);
}

FlowTable::FlowTable(uint32_t capacity, size_t key_bytes, size_t cold_word_count, uint64_t seed)
    : capacity_(capacity),
      key_words_((key_bytes + 3) / 4),
      identity_bytes_(sizeof(Link) + key_words_ * sizeof(uint32_t)),
      cold_word_count_(cold_word_count),
      seed_(seed),
      flows_(capacity),
      identities_(capacity * identity_bytes_),
      cold_words_(std::max<size_t>(1, capacity * cold_word_count)),
      slots_(SlotsFor(capacity)) {}

uint64_t FlowTable::Hash(const Key& key) const {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  uint64_t hash = seed_;
  for (size_t i = 0; i < key_words_; ++i) {
    hash = (hash ^ Word(key.data(), i)) * kOdd;
    hash ^= hash >> 32;
  }
  return hash * kOdd;
}

bool FlowTable::Equal(const Key& key, uint32_t index) const {
  const uint8_t* stored = IdentityAt(index) + sizeof(Link);
  for (size_t i = 0; i < key_words_; ++i) {
    if (Word(key.data(), i) != Word(stored, i)) return false;
  }
  return true;
}

Identity FlowTable::IdentityOf(uint32_t index) const {
  Identity identity;
  const uint8_t* stored = IdentityAt(index);
  std::memcpy(identity.link.data(), stored, sizeof(Link));
  std::memcpy(identity.key.data(), stored + sizeof(Link), identity_bytes_ - sizeof(Link));
  return identity;
}

void FlowTable::SetLink(uint32_t index, const Link& link) {
  std::memcpy(IdentityAt(index), link.data(), sizeof(Link));
}

size_t FlowTable::FindSlot(const Key& key, uint64_t hash) const {
  return slots_.Seek(hash, [&, tag = TagOf(hash)](const Slot& slot) {
    return slot.tag == tag && Equal(key, slot.flow - 1);
  });
}

uint32_t FlowTable::Find(const Key& key, uint64_t hash) const {
  return slots_[FindSlot(key, hash)].flow - 1;
}

void FlowTable::PrefetchFlow(uint64_t hash) const {
  const Slot& slot = slots_[slots_.Home(hash)];
  if (slot.IsFree()) return;
  const uint32_t index = slot.flow - 1;
  const uint8_t* identity = IdentityAt(index);
  __builtin_prefetch(&flows_[index]);
  __builtin_prefetch(identity);
  __builtin_prefetch(identity + identity_bytes_ - 1);
}

uint32_t FlowTable::Insert(const FreshFlow& flow, uint64_t hash) {
  uint32_t index = free_;
  if (index != kNoFlow) {
    free_ = static_cast<uint32_t>(flows_[index].words[0]);
  } else {
    index = fresh_++;
  }
  const uint64_t slot = kSlot.Get(flows_[index].words);
  flows_[index].words = flow.flow.words;
  kSlot.Set(flows_[index].words, slot);
  std::copy_n(flow.cold_words.begin(), cold_word_count_, StateOf(index).cold_words);
  SetLink(index, flow.identity.link);
  std::memcpy(IdentityAt(index) + sizeof(Link), flow.identity.key.data(),
              identity_bytes_ - sizeof(Link));
  slots_.Find(hash, [](const Slot&) { return false; }) = {.tag = TagOf(hash), .flow = index + 1};
  ++size_;
  return index;
}

void FlowTable::Erase(uint32_t index) {
  const Key key = IdentityOf(index).key;
  slots_.Erase(FindSlot(key, Hash(key)), [](const Slot& slot) { return uint64_t{slot.tag} << 32; });
  kRunning.Set(flows_[index].words, 0);
  flows_[index].words[0] = free_;
  free_ = index;
  --size_;
}

}  // namespace tester::machine
