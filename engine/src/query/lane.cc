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

std::vector<QueryLane::Run> QueryLane::RunsOf(const QueryPlan& plan) {
  std::vector<Run> runs;
  for (const QueryKey& key : plan.keys) {
    const bool whole = std::ranges::all_of(key.mask, [](uint8_t bits) { return bits == 0xff; });
    if (!whole || plan.symmetric || !key.operand.is_field()) return {};
    const bool follows =
        !runs.empty() && runs.back().operand.part == key.operand.part &&
        runs.back().operand.ether_type == key.operand.ether_type &&
        runs.back().operand.protocol == key.operand.protocol &&
        runs.back().operand.offset + runs.back().operand.bytes == key.operand.offset;
    if (follows) {
      runs.back().operand.bytes += key.operand.bytes;
    } else {
      runs.push_back({.operand = key.operand, .offset = key.offset});
    }
  }
  return runs;
}

QueryLane::QueryLane(std::shared_ptr<const QueryPlan> plan, uint64_t started_ns)
    : plan_(std::move(plan)),
      started_ns_(started_ns),
      runs_(RunsOf(*plan_)),
      needs_transport_(plan_->needs_transport()),
      key_words_(LayoutOf(*plan_).key_words),
      table_(plan_->capacity, LayoutOf(*plan_)),
      burst_{} {}

bool QueryLane::Passes(const QueriedFrame& queried) const {
  QueryOperand::FactBytes room;
  return std::ranges::all_of(plan_->tests, [&](const QueryTest& test) {
    const uint8_t* const at = test.operand.Find(queried, room);
    return at != nullptr && Holds(test.relation, Compared(at, test));
  });
}

bool QueryLane::FindKey(const QueriedFrame& queried, KeyTable::Key& key) const {
  std::fill_n(key.begin(), key_words_, 0);
  auto* const bytes = reinterpret_cast<uint8_t*>(key.data());
  if (plan_->interval_ns != 0) {
    const uint64_t since_ns = queried.now_ns - std::min(queried.now_ns, started_ns_);
    wire::Store64(bytes, since_ns / plan_->interval_ns);
  }
  if (runs_.empty() && !plan_->keys.empty()) return FindMasked(queried, key);
  for (const Run& run : runs_) {
    const uint8_t* const at = run.operand.FindField(queried);
    if (at == nullptr) return false;
    if (run.operand.bytes == sizeof(uint64_t)) {
      std::memcpy(bytes + run.offset, at, sizeof(uint64_t));
    } else if (run.operand.bytes == sizeof(uint32_t)) {
      std::memcpy(bytes + run.offset, at, sizeof(uint32_t));
    } else {
      std::memcpy(bytes + run.offset, at, run.operand.bytes);
    }
  }
  return true;
}

bool QueryLane::FindMasked(const QueriedFrame& queried, KeyTable::Key& key) const {
  KeyTable::Key mirrored = key;
  auto* const bytes = reinterpret_cast<uint8_t*>(key.data());
  auto* const opposite = reinterpret_cast<uint8_t*>(mirrored.data());
  QueryOperand::FactBytes room;
  for (const QueryKey& part : plan_->keys) {
    const uint8_t* const at = part.operand.Find(queried, room);
    if (at == nullptr) return false;
    for (size_t i = 0; i < part.mask.size(); ++i) {
      bytes[part.offset + i] = at[i] & part.mask[i];
    }
    if (plan_->symmetric) {
      std::memcpy(opposite + part.opposite, bytes + part.offset, part.mask.size());
    }
  }
  const size_t all = key_words_ * sizeof(uint64_t);
  if (plan_->symmetric && std::memcmp(opposite, bytes, all) < 0) std::memcpy(bytes, opposite, all);
  return true;
}

bool QueryLane::FindValue(const QueriedFrame& queried, uint64_t& value) const {
  if (!plan_->value || plan_->has_gap()) return true;
  const QueryValue& wanted = *plan_->value;
  uint64_t number = 0;
  if (wanted.operand.is_field()) {
    const uint8_t* const at = wanted.operand.FindField(queried);
    if (at == nullptr) return false;
    number = LoadNumber(at, wanted.operand.bytes);
  } else {
    number = wanted.operand.NumberIn(queried);
  }
  value = (number & wanted.mask) >> wanted.shift;
  return true;
}

void QueryLane::See(const QueriedFrame& queried, bool wanted) {
  const uint16_t place = seen_now_++;
  Found& found = burst_[found_];
  if (!wanted || (!plan_->tests.empty() && !Passes(queried)) || !FindKey(queried, found.key) ||
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
