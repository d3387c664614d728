// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Which statistics of drivers count PAUSE frames that were received.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "port/kernel/ethtool.h"

namespace tester {

// Every driver has names of its own: "rx_flow_control_xoff", "port.link_xon_rx", "rx_pause_frames".
// Statistics of single priorities are not taken: they are in the others too.
bool IsReceivedPause(std::string_view statistic);

// Their sum; nothing where there are none.
std::optional<uint64_t> SumReceivedPause(const std::vector<Statistic>& statistics);

}  // namespace tester
