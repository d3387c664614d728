// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "query/query.h"

#include <algorithm>
#include <compare>
#include <cstring>
#include <utility>

#include "wire/bytes.h"

namespace tester {
namespace {

struct RowPlace {
  uint64_t begin;  // of its key, as a number: most keys differ there
  uint32_t table;
  uint32_t row;
};

using Tables = std::vector<const KeyTable*>;

std::strong_ordering Compare(const KeyTable::Key& left, const KeyTable::Key& right) {
  return std::memcmp(left.data(), right.data(), sizeof left) <=> 0;
}

uint64_t BeginOf(const KeyTable::Key& key) { return wire::SwapToBigEndian(key[0]); }

std::vector<RowPlace> SortedPlaces(const Tables& tables) {
  std::vector<RowPlace> places;
  for (uint32_t table = 0; table < tables.size(); ++table) {
    const uint32_t size = tables[table]->size();
    for (uint32_t row = 0; row < size; ++row) {
      places.push_back({BeginOf(tables[table]->Read(row).key), table, row});
    }
  }
  const auto key_of = [&](const RowPlace& place) {
    return tables[place.table]->Read(place.row).key;
  };
  std::ranges::sort(places, [&](const RowPlace& left, const RowPlace& right) {
    if (left.begin != right.begin) return left.begin < right.begin;
    return Compare(key_of(left), key_of(right)) < 0;
  });
  return places;
}

// The sort key of rows when the greatest ones are asked for.
uint64_t ResultOf(const QueryPlan& plan, const Query::Row& row) {
  return plan.value ? row.value.value_or(0) : row.frames;
}

}  // namespace

uint64_t Query::BytesOf(const QueryPlan& plan, const std::vector<bool>& workers) {
  const auto tables = static_cast<uint64_t>(std::ranges::count(workers, true));
  return tables * KeyTable::BytesOf(plan.capacity, QueryLane::LayoutOf(plan));
}

Query::Query(std::shared_ptr<const QueryPlan> plan, const std::vector<bool>& workers,
             uint64_t started_ns)
    : plan_(std::move(plan)),
      started_ns_(started_ns),
      memory_bytes_(BytesOf(*plan_, workers)),
      lanes_(workers.size()) {
  for (size_t i = 0; i < workers.size(); ++i) {
    if (workers[i]) lanes_[i] = std::make_shared<QueryLane>(plan_, started_ns);
  }
}

Query::Counted Query::counted() const {
  Counted sum;
  for (const auto& lane : lanes_) {
    if (!lane) continue;
    sum.missed += lane->missed();
    sum.matched += lane->matched();
    sum.seen += lane->seen();
    sum.worst_gap_ns = std::max(sum.worst_gap_ns, lane->worst_gap_ns());
  }
  return sum;
}

uint64_t Query::keys() const {
  uint64_t keys = 0;
  size_t tables = 0;
  for (const auto& lane : lanes_) {
    if (!lane) continue;
    keys += lane->table().size();
    ++tables;
  }
  if (tables == 1) return keys;
  // Several tables may have the same key.
  keys = 0;
  ForEach(Order::kAny, [&keys](const Row&) {
    ++keys;
    return true;
  });
  return keys;
}

Query::Row Query::RowOf(const KeyTable::Row& row) const {
  std::string keys(plan_->key_bytes, '\0');
  std::memcpy(keys.data(), row.key.data(), keys.size());
  const bool has_value = plan_->value && !(plan_->has_gap() && row.frames == 1);
  return {.keys = std::move(keys),
          .frames = row.frames,
          .value = has_value ? std::optional(row.value) : std::nullopt};
}

void Query::ForEach(Order order, const std::function<bool(const Row&)>& visit) const {
  Tables tables;
  for (const auto& lane : lanes_) {
    if (lane) tables.push_back(&lane->table());
  }
  if (tables.size() == 1 && order == Order::kAny) {
    const uint32_t size = tables[0]->size();
    for (uint32_t row = 0; row < size; ++row) {
      if (!visit(RowOf(tables[0]->Read(row)))) return;
    }
    return;
  }
  const std::vector<RowPlace> places = SortedPlaces(tables);
  for (auto at = places.begin(); at != places.end();) {
    KeyTable::Row sum = tables[at->table]->Read(at->row);
    for (++at; at != places.end(); ++at) {
      const KeyTable::Row row = tables[at->table]->Read(at->row);
      if (Compare(row.key, sum.key) != 0) break;
      sum.frames += row.frames;
      if (plan_->value) sum.value = Reduced(plan_->value->function, sum.value, row.value);
    }
    if (!visit(RowOf(sum))) return;
  }
}

void Query::Read(std::optional<uint32_t> most, const std::function<bool(const Row&)>& write) const {
  if (!most) {
    ForEach(Order::kByKeys, write);
    return;
  }
  if (*most == 0) return;
  const auto before = [this](const Row& left, const Row& right) {
    const uint64_t one = ResultOf(*plan_, left);
    const uint64_t other = ResultOf(*plan_, right);
    return one != other ? one > other : left.keys < right.keys;
  };
  std::vector<Row> greatest;  // a heap with the least one in front
  ForEach(Order::kAny, [&](const Row& row) {
    greatest.push_back(row);
    std::ranges::push_heap(greatest, before);
    if (greatest.size() > *most) {
      std::ranges::pop_heap(greatest, before);
      greatest.pop_back();
    }
    return true;
  });
  std::ranges::sort_heap(greatest, before);
  for (const Row& row : greatest) {
    if (!write(row)) return;
  }
}

std::optional<Query::Row> Query::Find(const std::string& keys) const {
  std::optional<Row> found;
  ForEach(Order::kAny, [&](const Row& row) {
    if (row.keys == keys) found = row;
    return !found;
  });
  return found;
}

}  // namespace tester
