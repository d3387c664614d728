// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "query/key_table.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <new>

namespace tester {

namespace {

void Touch(void* memory, size_t bytes) {
  // Large pages where the kernel has some: accesses to a table are scattered.
  static_cast<void>(::madvise(memory, bytes, MADV_HUGEPAGE));
  // The worker waits for no page.
  if (::madvise(memory, bytes, MADV_POPULATE_WRITE) != 0) {
    if (errno == ENOMEM) throw std::bad_alloc();
    std::memset(memory, 0, bytes);  // a kernel before 5.14
  }
}

}  // namespace

KeyTable::KeyTable(uint32_t capacity, Layout layout)
    : layout_(layout),
      stride_(StrideOf(layout)),
      capacity_(capacity),
      rows_(size_t{capacity} * stride_),
      index_(SlotsOf(capacity)) {
  Touch(&rows_[0], size_t{capacity} * stride_ * sizeof(uint64_t));
  Touch(&index_[0], index_.size() * sizeof(IndexSlot));
}

KeyTable::Row KeyTable::Read(uint32_t row) const {
  uint64_t* const at = At(row);
  Row read{.frames = Load(at), .value = 0, .key = {}};
  if (layout_.value_words > 0) read.value = Load(at + 1);
  for (size_t i = 0; i < layout_.key_words; ++i) read.key[i] = Load(KeyAt(at) + i);
  return read;
}

}  // namespace tester
