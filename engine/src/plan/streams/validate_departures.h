// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

#include "base/rate.h"
#include "generator/laws/departures.h"
#include "tester/v1/plan.pb.h"

namespace tester {

// INVALID_ARGUMENT. `where` starts the message. ValidateFrames checks the frames that messages
// name.
Departures ValidateDepartures(const v1::Departures& departures, std::string_view where);

// INVALID_ARGUMENT.
Rate ValidateRate(const v1::Rate& rate, std::string_view where);

}  // namespace tester
