// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Stamps of a job, and the paths that they name.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "inline/stamps/stamp_plan.h"
#include "tester/v1/inline.pb.h"

namespace tester {

struct Inventory;
struct Job;

// Over all loaded jobs.
inline constexpr uint32_t kMaxStamps = 32;

// INVALID_ARGUMENT. `job` is for the message.
std::shared_ptr<const StampPlan> ValidateStamps(const v1::Stamps& stamps, std::string_view job);

// Checks the paths that stamps name, in the loaded jobs. NOT_FOUND, ALREADY_EXISTS,
// INVALID_ARGUMENT, FAILED_PRECONDITION (ports of different workers), RESOURCE_EXHAUSTED.
void CheckStamps(const Job& job, const Inventory& inventory);

}  // namespace tester
