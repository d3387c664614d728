// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Validates captures.
#pragma once

#include <cstdint>
#include <span>

#include "capture/capture_plan.h"
#include "inline/path_plan.h"
#include "plan/validate.h"
#include "tester/v1/capture.pb.h"

namespace tester {

inline constexpr uint32_t kMaxCaptures = 8;
inline constexpr uint64_t kMaxCaptureBytes = uint64_t{2} << 30;

// INVALID_ARGUMENT, NOT_FOUND (port), RESOURCE_EXHAUSTED.
CapturePlan ValidateCapture(const v1::Capture& capture, std::span<const PortLimits> ports);

// Validates the trace of a path.
CapturePlan ValidateTrace(const v1::Capture& capture, const PathPlan& path,
                          std::span<const PortLimits> ports);

}  // namespace tester
