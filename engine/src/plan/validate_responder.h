// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Responders and clients of a job.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "responder/responder.h"
#include "tester/v1/responder.pb.h"

namespace tester {

struct Job;
struct PortLimits;

// Over all loaded jobs.
inline constexpr uint32_t kMaxResponders = 256;
inline constexpr uint32_t kMaxResponderFlows = 1 << 23;

// INVALID_ARGUMENT, NOT_FOUND (port). `job` is for the message.
std::shared_ptr<const machine::ResponderPlan> ValidateResponder(const v1::Responder& responder,
                                                                std::string_view job,
                                                                std::span<const PortLimits> ports);

// Checks resources that the responders of `job` share with loaded jobs: names, their number and
// room for flows. INVALID_ARGUMENT, RESOURCE_EXHAUSTED.
void CheckResponders(const Job& job, std::span<const Job* const> loaded);

}  // namespace tester
