// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "query/lane.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/saturate.h"
#include "wire/bytes.h"

namespace tester {
namespace {

using KeyBytes = std::array<uint8_t, sizeof(KeyTable::Key)>;

bool Holds(QueryTest::Relation relation, int order) {
  using Relation = QueryTest::Relation;
  switch (relation) {
    case Relation::kIs:
      return order == 0;
    case Relation::kNot:
      return order != 0;
    case Relation::kBelow:
      return order < 0;
    case Relation::kAtMost:
      return order <= 0;
    case Relation::kAbove:
      return order > 0;
    case Relation::kAtLeast:
      return order >= 0;
  }
  return false;
}

// Bytes under a mask against a value: below 0, 0 or above 0.
int Compared(const uint8_t* at, const QueryTest& test) {
  for (size_t i = 0; i < test.mask.size(); ++i) {
    const int difference = (at[i] & test.mask[i]) - test.value[i];
    if (difference != 0) return difference;
  }
  return 0;
}

}  // namespace

uint64_t Reduced(QueryValue::Function function, uint64_t left, uint64_t right) {
  switch (function) {
    case QueryValue::Function::kSum:
      return AddSaturating(left, right);
    case QueryValue::Function::kMax:
      return std::max(left, right);
    case QueryValue::Function::kMin:
      return std::min(left, right);
  }
  return left;
}

KeyTable::Layout QueryLane::LayoutOf(const QueryPlan& plan) {
  return {.key_words = std::max<size_t>(1, (plan.key_bytes + 7) / 8),
          .value_words = plan.has_gap() ? size_t{2} : size_t{plan.value.has_value()}};
}

QueryLane::QueryLane(std::shared_ptr<const QueryPlan> plan, uint64_t started_ns)
    : plan_(std::move(plan)),
      started_ns_(started_ns),
      table_(plan_->capacity, LayoutOf(*plan_)),
      burst_{} {}

bool QueryLane::Passes(const QueriedFrame& queried) const {
  return std::ranges::all_of(plan_->tests, [&](const QueryTest& test) {
    const uint8_t* const at = test.operand.Find(queried);
    return at != nullptr && Holds(test.relation, Compared(at, test));
  });
}

bool QueryLane::FindKey(const QueriedFrame& queried, KeyTable::Key& key) const {
  KeyBytes bytes{};
  KeyBytes mirrored{};
  if (plan_->interval_ns != 0) {
    const uint64_t since_ns = queried.now_ns - std::min(queried.now_ns, started_ns_);
    wire::Store64(bytes.data(), since_ns / plan_->interval_ns);
    wire::Store64(mirrored.data(), since_ns / plan_->interval_ns);
  }
  for (const QueryKey& part : plan_->keys) {
    const uint8_t* const at = part.operand.Find(queried);
    if (at == nullptr) return false;
    for (size_t i = 0; i < part.mask.size(); ++i) {
      bytes[part.offset + i] = at[i] & part.mask[i];
    }
    if (plan_->symmetric) {
      std::memcpy(&mirrored[part.opposite], &bytes[part.offset], part.mask.size());
    }
  }
  const KeyBytes& lower = plan_->symmetric && mirrored < bytes ? mirrored : bytes;
  std::memcpy(key.data(), lower.data(), sizeof key);
  return true;
}

bool QueryLane::FindValue(const QueriedFrame& queried, uint64_t& value) const {
  if (!plan_->value || plan_->has_gap()) return true;
  const uint8_t* const at = plan_->value->operand.Find(queried);
  if (at == nullptr) return false;
  value = (LoadNumber(at, plan_->value->operand.bytes) & plan_->value->mask) >> plan_->value->shift;
  return true;
}

void QueryLane::See(const QueriedFrame& queried, bool wanted) {
  const uint16_t place = seen_now_++;
  Found& found = burst_[found_];
  if (!wanted || !Passes(queried) || !FindKey(queried, found.key) ||
      !FindValue(queried, found.value)) {
    return;
  }
  found.hash = table_.Hash(found.key);
  table_.Prefetch(found.hash);
  found.now_ns = queried.now_ns;
  found.place = place;
  ++found_;
}

void QueryLane::Count(const Found& found) {
  const auto change = [&](uint64_t* words, uint64_t frames_before) {
    if (!plan_->value) return;
    const auto function = plan_->value->function;
    uint64_t value = found.value;
    uint64_t values_before = frames_before;
    if (plan_->has_gap()) {
      // The second word is when its last frame was seen.
      value = found.now_ns - KeyTable::Load(words + 1);
      KeyTable::Store(words + 1, found.now_ns);
      if (frames_before == 0) return;
      --values_before;
    }
    const uint64_t before = KeyTable::Load(words);
    KeyTable::Store(words, values_before == 0 ? value : Reduced(function, before, value));
  };
  if (!table_.Count(found.key, found.hash, change)) [[unlikely]]
    missed_.Add(1);
}

void QueryLane::Publish(size_t count) {
  uint16_t published = 0;
  for (; published < found_ && burst_[published].place < count; ++published) {
    Count(burst_[published]);
  }
  matched_.Add(published);
  seen_.Add(count);
}

}  // namespace tester
