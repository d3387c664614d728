// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A capture file to be sent, checked.
#pragma once

#include <string_view>

#include "plan/validate.h"
#include "replay/plan.h"
#include "tester/v1/plan.pb.h"

namespace tester {

inline constexpr int kMaxRewrites = 4096;

// Reads the file once. INVALID_ARGUMENT. `where` starts the message.
ReplayPlan ValidateReplay(const v1::Stream& stream, const PortLimits& port, std::string_view where);

}  // namespace tester
