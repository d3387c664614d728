// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// What is touched whenever a stream sends: some lines of memory, which thousands of streams do not
// leave in the cache. They are fetched while the stream before sends, all at once, instead of one
// after the other when each is needed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tester {

class HotLines {
 public:
  // Fetching is but an advice: what is beyond the most lines is left out.
  void Add(const void* object, size_t bytes) {
    const auto begin = reinterpret_cast<uintptr_t>(object) / kLine * kLine;
    const auto end = reinterpret_cast<uintptr_t>(object) + bytes;
    for (uintptr_t line = begin; line < end && count_ < lines_.size(); line += kLine) {
      lines_[count_++] = line;
    }
  }

  void Prefetch() const {
    for (size_t i = 0; i < count_; ++i) {
      __builtin_prefetch(
          reinterpret_cast<const void*>(lines_[i]));  // NOLINT(performance-no-int-to-ptr)
    }
  }

 private:
  static constexpr size_t kLine = 64;

  size_t count_ = 0;
  std::array<uintptr_t, 35> lines_{};
};

}  // namespace tester
