// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "query/query_lane.h"

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

std::vector<QueryLane::KeyRun> QueryLane::RunsOf(const QueryPlan& plan) {
  std::vector<KeyRun> runs;
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

size_t QueryLane::PlainEndOf(const QueryPlan& plan, const std::vector<KeyRun>& runs) {
  const bool all_keys = plan.keys.empty() || !runs.empty();
  const bool whole_length = plan.value && plan.value->operand.fact == QueryOperand::Fact::kLength &&
                            plan.value->mask == UINT64_MAX && plan.value->shift == 0;
  if (!all_keys || !plan.tests.empty() || (plan.value && !whole_length && !plan.has_gap())) {
    return SIZE_MAX;
  }
  size_t end = 1;
  for (const KeyRun& run : runs) {
    const QueryOperand& operand = run.operand;
    const bool of_ipv4 = operand.ether_type == 0 || operand.ether_type == wire::kEtherTypeIpv4;
    if (operand.part != QueryOperand::Part::kNetwork || !of_ipv4 || operand.protocol != 0) {
      return SIZE_MAX;
    }
    end = std::max<size_t>(end, wire::kMacHeaderBytes + operand.offset + operand.bytes);
  }
  return end;
}

QueryLane::QueryLane(std::shared_ptr<const QueryPlan> plan, uint64_t started_ns)
    : plan_(std::move(plan)),
      started_ns_(started_ns),
      runs_(RunsOf(*plan_)),
      plain_end_(PlainEndOf(*plan_, runs_)),
      has_interval_(plan_->interval_ns != 0),
      key_words_(LayoutOf(*plan_).key_words),
      table_(plan_->capacity, LayoutOf(*plan_)),
      burst_{},
      places_{} {}

bool QueryLane::Passes(const QueriedFrame& queried) const {
  QueryOperand::FactBytes room;
  return std::ranges::all_of(plan_->tests, [&](const QueryTest& test) {
    const uint8_t* const at = test.operand.Find(queried, room);
    return at != nullptr && Holds(test.relation, Compared(at, test));
  });
}

bool QueryLane::FindKey(const QueriedFrame& queried, KeyTable::Key& key) const {
  BeginKey(key);
  auto* const bytes = reinterpret_cast<uint8_t*>(key.data());
  if (runs_.empty() && !plan_->keys.empty()) return FindMasked(queried, key);
  for (const KeyRun& run : runs_) {
    const uint8_t* const at = run.operand.FindField(queried);
    if (at == nullptr) return false;
    Copy(at, run.operand.bytes, bytes + run.offset);
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

void QueryLane::Begin(uint64_t now_ns) {
  seen_now_ = found_ = 0;
  now_ns_ = now_ns;
  if (!has_interval_) return;
  const uint64_t since_ns = now_ns - std::min(now_ns, started_ns_);
  interval_ = wire::SwapToBigEndian(since_ns / plan_->interval_ns);
}

size_t QueryLane::Count(size_t frames) {
  using Words = uint64_t*;
  if (!plan_->value) return table_.Count(burst_.data(), frames, [](Words, uint64_t, uint64_t) {});
  const auto function = plan_->value->function;
  if (plan_->has_gap()) {
    return table_.Count(burst_.data(), frames, [&](Words words, uint64_t before, uint64_t) {
      // The second word is when its last frame was seen.
      const uint64_t gap_ns = now_ns_ - KeyTable::Load(words + 1);
      KeyTable::Store(words + 1, now_ns_);
      if (before == 0) return;
      KeyTable::Store(words,
                      before == 1 ? gap_ns : Reduced(function, KeyTable::Load(words), gap_ns));
    });
  }
  if (function == QueryValue::Function::kSum) {  // an empty sum is 0
    return table_.Count(burst_.data(), frames, [](Words words, uint64_t, uint64_t value) {
      KeyTable::Store(words, AddSaturating(KeyTable::Load(words), value));
    });
  }
  return table_.Count(burst_.data(), frames, [&](Words words, uint64_t before, uint64_t value) {
    KeyTable::Store(words, before == 0 ? value : Reduced(function, KeyTable::Load(words), value));
  });
}

void QueryLane::Publish(size_t count) {
  size_t published = found_;
  while (published > 0 && places_[published - 1] >= count) --published;
  // A count that includes another one is counted last.
  seen_.Add(count);
  matched_.Add(published);
  missed_.Add(Count(published));
}

}  // namespace tester
