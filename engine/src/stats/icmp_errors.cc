// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "stats/icmp_errors.h"

#include <algorithm>

namespace tester {
namespace {

// A type with as many codes as are counted apart.
struct Type {
  uint8_t ip_version;
  uint8_t type;
  uint8_t codes;
};

// https://www.iana.org/assignments/icmp-parameters and icmpv6-parameters.
constexpr std::array kTypes = {
    Type{4, 3, 16}, Type{4, 4, 1}, Type{4, 5, 4}, Type{4, 11, 2}, Type{4, 12, 3},
    Type{6, 1, 10}, Type{6, 2, 1}, Type{6, 3, 2}, Type{6, 4, 12}, Type{6, 0, 1},  // all others
};

constexpr size_t TotalCodes() {
  size_t total = 0;
  for (const Type& type : kTypes) total += type.codes;
  return total;
}

}  // namespace

size_t IcmpErrors::IndexOf(const wire::IcmpError& error) {
  static_assert(TotalCodes() == kCount);
  size_t first = 0;
  for (const Type& type : kTypes) {
    if (type.ip_version == error.ip_version && type.type == error.type) {
      return first + std::min<size_t>(error.code, type.codes - 1U);
    }
    first += type.codes;
  }
  return kCount - 1;
}

wire::IcmpError IcmpErrors::At(size_t index) {
  size_t first = 0;
  for (const Type& type : kTypes) {
    if (index < first + type.codes) {
      return {.ip_version = type.ip_version,
              .type = type.type,
              .code = static_cast<uint8_t>(index - first)};
    }
    first += type.codes;
  }
  return {};
}

void IcmpErrors::Merge(const IcmpErrors& other) {
  for (size_t i = 0; i < kCount; ++i) counts_[i].Add(other.counts_[i].Get());
}

uint64_t IcmpErrors::total() const {
  uint64_t total = 0;
  for (const Counter& count : counts_) total += count.Get();
  return total;
}

}  // namespace tester
