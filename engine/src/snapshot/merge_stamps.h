// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Counters of stamps as messages.
#pragma once

#include <functional>

#include "inline/stamps/stamping.h"
#include "tester/v1/counters.pb.h"

namespace tester {

void FillStamps(const Stamping& stamping, v1::StampDirectionCounters& out);

// Writes all flows, then all intervals, in chunks, until `write` returns false.
void WriteStampRecords(const Stamping& stamping, uint64_t interval_ns,
                       const std::function<bool(const v1::StampRecords&)>& write);

}  // namespace tester
