// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Checks the contents of a stream's frames.
#pragma once

#include <cstddef>
#include <string_view>

#include "generator/frames/frames_plan.h"
#include "plan/validate.h"
#include "tester/v1/plan.pb.h"

namespace tester {

inline constexpr int kMaxFrames = 4096;
inline constexpr int kMaxOrder = 65536;

// INVALID_ARGUMENT. `where` starts the message.
void CheckFrameLength(size_t bytes, size_t least, const PortLimits& port, std::string_view where);

// The id of the stream is valid. INVALID_ARGUMENT.
FramesPlan ValidateFrames(const v1::Stream& stream, const PortLimits& port, std::string_view where);

}  // namespace tester
