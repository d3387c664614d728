// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "stats/histogram.h"

#include <sys/mman.h>

#include <new>

namespace tester {
namespace {

constexpr size_t kBytes = Histogram::kBuckets * sizeof(uint64_t);

uint64_t* Map() {
  void* memory =
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<uint64_t*>(memory);
}

}  // namespace

Histogram::Histogram() : counts_(Map()) {}

void Histogram::Unmap::operator()(uint64_t* memory) const { ::munmap(memory, kBytes); }

}  // namespace tester
