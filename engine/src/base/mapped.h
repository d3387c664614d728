// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Zeros that cost memory only where something else has been written to them: a page at a time.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

namespace tester {

template <typename T>
class Mapped {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // At least one.
  explicit Mapped(size_t count) : values_(Map(count * sizeof(T)), Unmap{count * sizeof(T)}) {}

  T& operator[](size_t index) const { return values_.get()[index]; }

 private:
  struct Unmap {
    size_t bytes;
    void operator()(T* memory) const { ::munmap(memory, bytes); }
  };

  static T* Map(size_t bytes) {
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }

  std::unique_ptr<T, Unmap> values_;
};

}  // namespace tester
