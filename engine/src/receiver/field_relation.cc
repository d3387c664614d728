// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "receiver/field_relation.h"

#include <algorithm>

namespace tester {
namespace {

bool Compare(FieldComparison comparison, int64_t arrived, int64_t wanted) {
  switch (comparison) {
    case FieldComparison::kEqual:
      return arrived == wanted;
    case FieldComparison::kNotEqual:
      return arrived != wanted;
    case FieldComparison::kLess:
      return arrived < wanted;
    case FieldComparison::kAtMost:
      return arrived <= wanted;
    case FieldComparison::kGreater:
      return arrived > wanted;
    case FieldComparison::kAtLeast:
      return arrived >= wanted;
  }
  return false;
}

}  // namespace

bool FieldRelation::Holds(uint64_t arrived, uint64_t sent) const {
  // Every field has less than 64 bits, so the sign is preserved.
  const auto number = static_cast<int64_t>(arrived);
  if (of_sent) {
    const auto found = rewritten.find(sent);
    const uint64_t from = found == rewritten.end() ? sent : found->second;
    return Compare(comparison, number, static_cast<int64_t>(from) + difference);
  }
  const auto holds = [&](uint64_t value) {
    return Compare(comparison, number, static_cast<int64_t>(value));
  };
  return comparison == FieldComparison::kNotEqual ? std::ranges::all_of(values, holds)
                                                  : std::ranges::any_of(values, holds);
}

}  // namespace tester
