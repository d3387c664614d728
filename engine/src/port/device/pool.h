// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Buffers of a port.
#pragma once

#include <rte_mempool.h>

#include <cstdint>
#include <string>

namespace tester {

// Buffers for frames of `max_frame_bytes`, FCS included, for rte_mempool_free.
// RESOURCE_EXHAUSTED.
rte_mempool* MakePool(const std::string& name, unsigned buffers, uint32_t max_frame_bytes);

// A pool for net_af_xdp, which shares its buffers with the kernel. They are contiguous, each in a
// page of its own where it fits into one. The driver announces the total size of the buffers as the
// size of the memory; the kernel ignores buffers beyond that, and never returns them.
rte_mempool* MakeSharedPool(const std::string& name, unsigned buffers, uint32_t max_frame_bytes);

}  // namespace tester
