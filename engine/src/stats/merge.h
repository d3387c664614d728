// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Counters to messages: what several workers have seen of a stream, added up.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "stats/counters.h"
#include "tester/v1/counters.pb.h"

namespace tester {

// `rx` holds one object per worker.
void FillStream(const StreamTx& tx, const std::vector<std::shared_ptr<StreamRx>>& rx,
                v1::StreamCounters& out);

// The counters of the engine's own making; what driver and kernel count is not in here.
void FillPort(const PortCounters& port, v1::PortCounters& out);

}  // namespace tester
