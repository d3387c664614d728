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

// The same for net_af_xdp, which shares them with the kernel: they lie one behind the other without
// a gap, each in a page of its own where it fits into one. The driver announces as many bytes as
// the buffers have together, and of what lies beyond, the kernel neither sends nor fills anything,
// nor does it ever give it back.
rte_mempool* MakeSharedPool(const std::string& name, unsigned buffers, uint32_t max_frame_bytes);

}  // namespace tester
