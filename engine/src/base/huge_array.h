// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Memory with scattered accesses, in huge pages where the kernel has some, so that few look-ups
// walk page tables. All of it is touched when it is made.
#pragma once

#include <sys/mman.h>

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

  struct Free {
    size_t count;
    void operator()(T* values) const {
      std::destroy_n(values, count);
      std::free(values);  // NOLINT(*-no-malloc,*-owning-memory): of aligned_alloc
    }
  };

  static T* Make(size_t count) {
    const size_t bytes = (count * sizeof(T) + kPage - 1) / kPage * kPage;
    void* const memory = std::aligned_alloc(kPage, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    ::madvise(memory, bytes, MADV_HUGEPAGE);  // an advice: without it all is slower, and as right
    return ::new (memory) T[count]();
  }

  std::unique_ptr<T, Free> values_;
};

}  // namespace tester
