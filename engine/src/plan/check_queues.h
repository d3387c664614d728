// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Refuses what one worker has to count alone, on a port whose queues several workers serve.
#pragma once

#include <string_view>

#include "plan/validate.h"

namespace tester {

// `what` is a plural: "flow counters". FAILED_PRECONDITION.
void CheckOneQueue(const PortLimits& port, std::string_view what, std::string_view where);

}  // namespace tester
