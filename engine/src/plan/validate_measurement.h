// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Checks the measurement of a stream's frames on arrival.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "generator/frames/frames_plan.h"
#include "receiver/matcher.h"
#include "receiver/measurement_plan.h"
#include "tester/v1/match.pb.h"
#include "tester/v1/plan.pb.h"

namespace tester {

struct Job;

// Conditions on the bytes of frames. INVALID_ARGUMENT.
Matches ReadMatches(const google::protobuf::RepeatedPtrField<v1::Match>& matches,
                    std::string_view where);

// Over all loaded jobs.
inline constexpr uint32_t kMaxFlows = 1 << 22;

// The frames and the version of the stream must be valid. INVALID_ARGUMENT. `where` starts the
// message.
MeasurementPlan ValidateMeasurement(const v1::Stream& stream, const FramesPlan& contents,
                                    std::string_view where);

// Checks resources that the streams of `job` share with loaded jobs: the frames of a port and the
// room for flows. INVALID_ARGUMENT, ALREADY_EXISTS, RESOURCE_EXHAUSTED.
void CheckMeasurements(const Job& job, std::span<const Job* const> loaded);

}  // namespace tester
