// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/stamps/under_way.h"

#include <algorithm>
#include <bit>

namespace tester {
namespace {

// Slots for each packet, so that both buckets of a key are rarely full.
constexpr size_t kPlacesEach = 2;
constexpr size_t kPlacesInBucket = 4;

}  // namespace

UnderWay::UnderWay(uint32_t packets, uint64_t timeout_ns)
    : timeout_ns_(timeout_ns),
      mask_(std::bit_ceil(std::max<size_t>(2, size_t{packets} * kPlacesEach / kPlacesInBucket)) -
            1),
      buckets_(mask_ + 1) {}

// A key has the bucket where it is at home, and that bucket's neighbour, which the processor
// fetches along with it.
UnderWay::Entry* UnderWay::FindEntry(uint64_t key) {
  const uint64_t rest = Rest(key);
  for (const size_t bucket : {Home(key), Home(key) ^ 1}) {
    for (Entry& entry : buckets_[bucket].entries) {
      if (entry.key() == rest) return &entry;
    }
  }
  return nullptr;
}

UnderWay::Entry* UnderWay::FreeEntry(uint64_t key, uint64_t now_ns) {
  Entry* back = nullptr;
  for (const size_t bucket : {Home(key), Home(key) ^ 1}) {
    for (Entry& entry : buckets_[bucket].entries) {
      if (entry.key() == 0) return &entry;
      const bool over = IsOver(entry, now_ns);
      if (entry.count() != 0 && !over) continue;
      // The packet that came back first is the least useful for finding duplicates.
      if (back == nullptr || entry.sent_ns() < back->sent_ns()) back = &entry;
    }
  }
  return back;
}

UnderWay::Entered UnderWay::Enter(uint64_t key, uint32_t flow, uint64_t now_ns) {
  Entry* entry = FindEntry(key);
  if (entry != nullptr && entry->count() != 0 && !IsOver(*entry, now_ns)) {
    if (entry->count() == kMostAlike) return Entered::kFull;
    if (entry->flow() != flow) entry->Set(entry->key(), kNoFlow);
    entry->Send(now_ns, entry->count() + 1, true);
    return Entered::kAgain;
  }
  if (entry == nullptr) entry = FreeEntry(key, now_ns);
  if (entry == nullptr) return Entered::kFull;
  entry->Set(Rest(key), flow);
  entry->Send(now_ns, 1, false);
  return Entered::kNew;
}

void UnderWay::Withdraw(uint64_t key) {
  Entry* const entry = FindEntry(key);
  if (entry == nullptr || entry->count() == 0) return;
  entry->SetCount(entry->count() - 1);
  if (entry->count() == 0) *entry = {};
}

UnderWay::Found UnderWay::Leave(uint64_t key, uint64_t now_ns) {
  Entry* const entry = FindEntry(key);
  if (entry == nullptr) return {.back = Back::kUnknown};
  const uint64_t age_ns = (now_ns - entry->sent_ns()) & kTimeMask;
  Found found{.back = Back::kFound, .flow = entry->flow(), .sent_ns = now_ns - age_ns};
  if (age_ns > timeout_ns_) {
    entry->SetCount(0);
    found.back = Back::kLate;
  } else if (entry->count() == 0) {
    found.back = Back::kDuplicated;
  } else {
    entry->SetCount(entry->count() - 1);
    if (entry->ambiguous()) found.back = Back::kAmbiguous;
  }
  return found;
}

}  // namespace tester
