// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/device/pool.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "port/device/eal_testing.h"

namespace tester {
namespace {

struct Extent {
  uintptr_t begin = UINTPTR_MAX;
  uintptr_t end = 0;
};

// The memory that the buffers take, with DPDK's headers and trailers.
Extent ExtentOf(rte_mempool* pool) {
  Extent extent;
  const auto add = [](rte_mempool* pool, void* opaque, void* buffer, unsigned) {
    auto& found = *static_cast<Extent*>(opaque);
    const auto at = reinterpret_cast<uintptr_t>(buffer);
    found.begin = std::min(found.begin, at - pool->header_size);
    found.end = std::max(found.end, at + pool->elt_size + pool->trailer_size);
  };
  rte_mempool_obj_iter(pool, add, &extent);
  return extent;
}

// The driver multiplies the two to announce the size of the shared memory to the kernel.
TEST(Pool, SharedBuffersLieWithoutGapsFromAPageOn) {
  StartEal();
  for (const uint32_t frame : {1518U, 3000U, 9018U}) {
    constexpr unsigned kBuffers = 1000;
    rte_mempool* pool = MakeSharedPool("shared", kBuffers, frame);
    const Extent extent = ExtentOf(pool);
    const uint32_t each = rte_mempool_calc_obj_size(pool->elt_size, pool->flags, nullptr);
    EXPECT_EQ(extent.begin % 4096, 0U);
    EXPECT_EQ(extent.end - extent.begin, size_t{kBuffers} * each) << frame;
    EXPECT_EQ(pool->populated_size, kBuffers);
    if (frame < 3500) {
      EXPECT_EQ(each, 4096U) << frame;
    }
    rte_mempool_free(pool);
  }
}

}  // namespace
}  // namespace tester
