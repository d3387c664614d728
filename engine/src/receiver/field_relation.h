// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// How a header field has to arrive: compared with the value that it was sent with, or with values
// that its stream names.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "generator/frames/field.h"

namespace tester {

enum class FieldComparison : uint8_t { kEqual, kNotEqual, kLess, kAtMost, kGreater, kAtLeast };

struct FieldRelation {
  FieldComparison comparison = FieldComparison::kEqual;
  // True: compared with the sent value, or its replacement in `rewritten`, plus `difference`.
  // False: compared with `values`: equal to one of them, or to none.
  bool of_sent = false;
  int64_t difference = 0;
  std::map<uint64_t, uint64_t> rewritten{};
  std::vector<uint64_t> values{};

  bool operator==(const FieldRelation&) const = default;

  // `sent` is looked at if it is of_sent only.
  bool Holds(uint64_t arrived, uint64_t sent) const;
};

struct FieldExpectation {
  std::string name;
  Field field;  // as the frames of the stream are sent; at most kMostBits
  FieldRelation relation;

  // A field of more bits, at any bit of a byte, is not loaded at once.
  static constexpr uint32_t kMostBits = 48;

  bool operator==(const FieldExpectation&) const = default;
};

}  // namespace tester
