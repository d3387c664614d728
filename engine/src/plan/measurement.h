// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// How the frames of a stream are measured when they arrive: by version, flow, match and content.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "receiver/integrity.h"
#include "receiver/matcher.h"
#include "receiver/version_bit.h"
#include "tester/v1/plan.pb.h"

namespace tester {

struct Job;

// Over all loaded jobs.
inline constexpr uint32_t kMaxFlows = 1 << 22;

struct MeasurementPlan {
  VersionBit version{};
  uint32_t flows = 0;
  Matches matches;
  std::shared_ptr<const Integrity> integrity;  // null without signature
};

// Of a stream whose frames and version are valid. INVALID_ARGUMENT. `where` starts the message.
MeasurementPlan ValidateMeasurement(const v1::Stream& stream, const std::vector<OrderRun>& order,
                                    std::string_view where);

// What streams of loaded jobs and of `job` share: the frames of a port and the room for flows.
// INVALID_ARGUMENT, ALREADY_EXISTS, RESOURCE_EXHAUSTED.
void CheckMeasurements(const Job& job, std::span<const Job* const> loaded);

}  // namespace tester
