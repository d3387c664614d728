// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// ICMP errors that arrive on a port, by type and code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/counter.h"
#include "wire/icmp_error.h"

namespace tester {

class IcmpErrors {
 public:
  // One writer. A code beyond the highest one of its type counts as the highest one.
  void Add(const wire::IcmpError& error) { counts_[IndexOf(error)].Add(1); }

  // Adds the counts of another one.
  void Merge(const IcmpErrors& other);

  uint64_t total() const;

  // Calls visit(error, frames) for each that has arrived.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (size_t i = 0; i < kCount; ++i) {
      if (const uint64_t frames = counts_[i].Get(); frames != 0) visit(At(i), frames);
    }
  }

 private:
  static constexpr size_t kCount = 52;

  static size_t IndexOf(const wire::IcmpError& error);
  static wire::IcmpError At(size_t index);

  std::array<Counter, kCount> counts_;
};

}  // namespace tester
