// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "query/key_table.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <new>

namespace tester {

KeyTable::KeyTable(uint32_t capacity, Layout layout)
    : layout_(layout),
      stride_(StrideOf(layout)),
      mask_(SlotsOf(capacity) - 1),
      shift_(static_cast<unsigned>(64 - std::countr_zero(slots()))),
      capacity_(capacity),
      words_(slots() * stride_) {
  const size_t bytes = BytesOf(capacity, layout);
  // Large pages where the kernel has some: a table is looked at all over.
  static_cast<void>(::madvise(&words_[0], bytes, MADV_HUGEPAGE));
  // The worker waits for no page.
  if (::madvise(&words_[0], bytes, MADV_POPULATE_WRITE) != 0) {
    if (errno == ENOMEM) throw std::bad_alloc();
    std::memset(&words_[0], 0, bytes);  // a kernel before 5.14
  }
}

KeyTable::Row KeyTable::Read(size_t slot) const {
  uint64_t* const at = At(slot);
  Row row{.frames = std::atomic_ref(*at).load(std::memory_order_acquire), .value = 0, .key = {}};
  if (row.frames == 0) return row;
  if (layout_.value_words > 0) row.value = Load(at + 1);
  for (size_t i = 0; i < layout_.key_words; ++i) row.key[i] = Load(KeyAt(at) + i);
  return row;
}

}  // namespace tester
