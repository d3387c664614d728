// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Counters of a path as messages.
#pragma once

#include "inline/events/events.h"
#include "inline/path_counters.h"
#include "tester/v1/counters.pb.h"

namespace tester {

// All but its job, its ports and whether it forwards. `counters` and `events` are null before its
// first start.
void FillPath(const PathPlan& plan, const PathCounters* counters, const Events* events,
              v1::PathCounters& out);

}  // namespace tester
