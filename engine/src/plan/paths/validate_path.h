// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Validates the paths of a job.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "inline/path_plan.h"
#include "tester/v1/inline.pb.h"

namespace tester {

struct Inventory;
struct Job;
struct PortLimits;

// Over all loaded jobs.
inline constexpr uint32_t kMaxPaths = 64;
// Events of one path.
inline constexpr uint32_t kMaxPathEvents = 4096;
inline constexpr uint32_t kMaxWatches = 16;

// INVALID_ARGUMENT, NOT_FOUND (port), RESOURCE_EXHAUSTED. `job` is for the message.
std::shared_ptr<const PathPlan> ValidatePath(const v1::Path& path, std::string_view job,
                                             std::span<const PortLimits> ports);

// Checks the ports of paths against everything else that is loaded. ALREADY_EXISTS,
// INVALID_ARGUMENT, FAILED_PRECONDITION (ports of different workers), RESOURCE_EXHAUSTED.
void CheckPaths(const Job& job, const Inventory& inventory);

}  // namespace tester
