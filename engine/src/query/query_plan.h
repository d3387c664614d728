// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A valid query, as plain structs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "query/operand.h"

namespace tester {

// operand & mask relation value.
struct QueryTest {
  enum class Relation : uint8_t { kIs, kNot, kBelow, kAtMost, kAbove, kAtLeast };

  QueryOperand operand;
  Relation relation;
  std::vector<uint8_t> mask;
  std::vector<uint8_t> value;
};

struct QueryKey {
  QueryOperand operand;
  std::vector<uint8_t> mask;
  size_t offset;    // in the key of a row
  size_t opposite;  // offset of the key that has its value in the other direction
};

struct QueryValue {
  enum class Function : uint8_t { kSum, kMax, kMin };

  QueryOperand operand;
  uint64_t mask;
  unsigned shift;  // down to the lowest bit of the mask
  Function function;
};

inline constexpr size_t kMaxQueryKeyBytes = 40;  // without the number of the interval

struct QueryPlan {
  std::string name;
  std::vector<bool> ports;  // by index: whether its frames are counted
  bool transmitted;
  bool received;
  std::vector<std::string> streams;  // empty: every frame
  bool foreign;                      // only of no stream
  std::vector<QueryTest> tests;
  std::vector<QueryKey> keys;
  size_t key_bytes;  // of all, and of the number of the interval
  bool symmetric;
  std::optional<QueryValue> value;
  uint32_t capacity;
  uint64_t interval_ns;  // 0: none
  uint64_t lease = 0;    // under which it was started; 0: none

  bool has_gap() const { return value && value->operand.fact == QueryOperand::Fact::kGap; }
};

}  // namespace tester
