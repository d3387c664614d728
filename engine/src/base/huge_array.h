// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Memory with scattered accesses, in huge pages where it fills some and the kernel has them: few
// look-ups walk page tables. All of it is touched when it is made: no worker waits for pages.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace tester {

template <typename T>
class HugeArray {
 public:
  explicit HugeArray(size_t count) : values_(Make(count), Free{count}) {}

  T& operator[](size_t index) const { return values_.get()[index]; }

 private:
  static constexpr size_t kPage = size_t{2} << 20;
  static constexpr size_t kLine = std::max<size_t>(64, alignof(T));

  struct Free {
    size_t count;
    void operator()(T* values) const {
      std::destroy_n(values, count);
      std::free(values);  // NOLINT(*-no-malloc,*-owning-memory): of aligned_alloc
    }
  };

  static T* Make(size_t count) {
    const size_t unit = count * sizeof(T) < kPage ? kLine : kPage;
    const size_t bytes = (count * sizeof(T) + unit - 1) / unit * unit;
    void* const memory = std::aligned_alloc(unit, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    // An advice: without it all is slower, and as right.
    if (unit == kPage) ::madvise(memory, bytes, MADV_HUGEPAGE);
    return ::new (memory) T[count]();
  }

  std::unique_ptr<T, Free> values_;
};

}  // namespace tester
