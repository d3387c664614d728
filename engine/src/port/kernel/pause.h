// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Recognises the statistics of drivers that count received PAUSE frames.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "port/kernel/ethtool.h"

namespace tester {

// Every driver has its own names: "rx_flow_control_xoff", "port.link_xon_rx", "rx_pause_frames".
// Statistics of single priorities are left out: the others include them.
bool IsReceivedPause(std::string_view statistic);

// Their sum; nothing without such statistics.
std::optional<uint64_t> SumReceivedPause(const std::vector<Statistic>& statistics);

}  // namespace tester
