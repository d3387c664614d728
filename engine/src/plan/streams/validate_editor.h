// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Checks the changing parts of a stream's frames: editors, checksums and the version.
#pragma once

#include <string_view>

#include "generator/frames/frames_plan.h"
#include "tester/v1/plan.pb.h"

namespace tester {

// For a plan that has its frames already. INVALID_ARGUMENT. `where` starts the message.
void ValidateEditors(const v1::Stream& stream, std::string_view where, FramesPlan& plan);

}  // namespace tester
