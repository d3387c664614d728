// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/device/pool.h"

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>
#include <rte_memzone.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "port/device/device.h"

namespace tester {
namespace {

constexpr unsigned kCachedBuffers = 512;  // RTE_MEMPOOL_CACHE_MAX_SIZE
constexpr uint32_t kPageBytes = 4096;     // XDP has no larger buffers

struct PoolShape {
  const std::string& name;
  unsigned buffers;
  uint32_t element;  // bytes of a buffer, without DPDK's bytes before and behind it
  unsigned flags;
};

uint32_t ElementFor(uint32_t max_frame_bytes) {
  const uint32_t room = RTE_PKTMBUF_HEADROOM + std::max<uint32_t>(2048, max_frame_bytes + 64);
  return static_cast<uint32_t>(sizeof(rte_mbuf)) + kPrivateBytes + room;
}

// Without hugepages DPDK lets no buffer cross a page of 4 KiB, so all begin at the same place of
// one and compete for the same few lines of the cache: half of the time goes there. No device that
// needs contiguous memory works without hugepages.
unsigned Flags() { return rte_eal_has_hugepages() != 0 ? 0 : RTE_MEMPOOL_F_NO_IOVA_CONTIG; }

void FreeMemory(rte_mempool_memhdr* /*chunk*/, void* memory) {
  rte_memzone_free(static_cast<const rte_memzone*>(memory));
}

// In one piece that begins with a page.
int Populate(rte_mempool* pool) {
  const size_t bytes =
      size_t{pool->size} * (pool->header_size + pool->elt_size + pool->trailer_size);
  const std::string name = Cat("MP_", pool->name, "_0");  // as DPDK would
  const rte_memzone* memory =
      rte_memzone_reserve_aligned(name.c_str(), bytes, pool->socket_id, 0, kPageBytes);
  if (memory == nullptr) return -rte_errno;
  const int populated =
      rte_mempool_populate_iova(pool, static_cast<char*>(memory->addr), memory->iova, bytes,
                                FreeMemory, const_cast<rte_memzone*>(memory));
  if (populated <= 0) rte_memzone_free(memory);
  return populated == static_cast<int>(pool->size) ? populated : -ENOMEM;
}

// Like rte_pktmbuf_pool_create, with flags and with memory from `populate`.
rte_mempool* Create(const PoolShape& shape, int (*populate)(rte_mempool*)) {
  rte_mempool* pool = rte_mempool_create_empty(shape.name.c_str(), shape.buffers, shape.element,
                                               kCachedBuffers, sizeof(rte_pktmbuf_pool_private),
                                               static_cast<int>(rte_socket_id()), shape.flags);
  if (pool == nullptr) return nullptr;
  rte_pktmbuf_pool_private about{};
  about.mbuf_data_room_size =
      static_cast<uint16_t>(shape.element - sizeof(rte_mbuf) - kPrivateBytes);
  about.mbuf_priv_size = kPrivateBytes;
  rte_pktmbuf_pool_init(pool, &about);
  if (rte_mempool_set_ops_byname(pool, rte_mbuf_best_mempool_ops(), nullptr) != 0 ||
      populate(pool) < 0) {
    rte_mempool_free(pool);
    return nullptr;
  }
  rte_mempool_obj_iter(pool, rte_pktmbuf_init, nullptr);
  return pool;
}

rte_mempool* CreateOrThrow(const PoolShape& shape, int (*populate)(rte_mempool*)) {
  rte_mempool* pool = Create(shape, populate);
  if (pool != nullptr) return pool;
  throw Error(Code::kResourceExhausted, Cat("no memory for ", shape.buffers, " buffers of ",
                                            shape.element, " bytes for port ", shape.name, " (",
                                            rte_strerror(rte_errno), "); give more with --memory"));
}

}  // namespace

rte_mempool* MakePool(const std::string& name, unsigned buffers, uint32_t max_frame_bytes) {
  return CreateOrThrow(
      {.name = name, .buffers = buffers, .element = ElementFor(max_frame_bytes), .flags = Flags()},
      rte_mempool_populate_default);
}

rte_mempool* MakeSharedPool(const std::string& name, unsigned buffers, uint32_t max_frame_bytes) {
  // Otherwise DPDK makes them longer, to spread them over channels of memory.
  constexpr unsigned kFlags = RTE_MEMPOOL_F_NO_SPREAD;
  const uint32_t least = ElementFor(max_frame_bytes);
  const uint32_t whole = rte_mempool_calc_obj_size(least, kFlags, nullptr);
  const uint32_t filled = whole < kPageBytes ? least + kPageBytes - whole : least;
  return CreateOrThrow({.name = name, .buffers = buffers, .element = filled, .flags = kFlags},
                       Populate);
}

}  // namespace tester
