// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The memory lines that are touched whenever a stream sends; with thousands of streams they do not
// stay in the cache. They are fetched while the stream before sends, all at once, instead of one
// after the other when each is needed.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace tester {

class HotLines {
 public:
  // Prefetching is a hint: at most the first 64 lines of an object, and the first kMost objects.
  void Add(const void* object, size_t bytes) {
    if (count_ == stretches_.size()) return;
    const auto begin = reinterpret_cast<uintptr_t>(object) / kLine * kLine;
    const auto end = reinterpret_cast<uintptr_t>(object) + bytes;
    const uintptr_t more = (end - 1 - begin) / kLine;
    stretches_[count_++] = begin | std::min(more, kLine - 1);
  }

  void Prefetch() const {
    for (size_t i = 0; i < count_; ++i) {
      const uintptr_t begin = stretches_[i] / kLine * kLine;
      const uintptr_t last = begin + stretches_[i] % kLine * kLine;
      for (uintptr_t line = begin; line <= last; line += kLine) {
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        __builtin_prefetch(reinterpret_cast<const void*>(line));
      }
    }
  }

 private:
  static constexpr uintptr_t kLine = 64;
  static constexpr size_t kMost = 8;

  size_t count_ = 0;
  // Each is the address of a line; its low bits, zero in such an address, count the lines behind
  // it. A short list needs few fetches itself.
  std::array<uintptr_t, kMost> stretches_{};
};

}  // namespace tester
