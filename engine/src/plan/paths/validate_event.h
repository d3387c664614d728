// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Validates the events of a path.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "inline/path_plan.h"
#include "tester/v1/inline.pb.h"

namespace tester {

struct PortLimits;

// Of an event and of an impairment.
inline constexpr uint64_t kMostDelayNs = 60'000'000'000;

// `path` has its ports and watches. `path_where` starts the message. INVALID_ARGUMENT.
EventPlan ValidateEvent(const v1::Event& event, const PathPlan& path,
                        std::span<const PortLimits> ports, std::string_view path_where);

}  // namespace tester
