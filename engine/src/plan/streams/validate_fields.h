// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Checks the header fields that have to arrive as their stream says.
#pragma once

#include <memory>
#include <string_view>

#include "generator/frames/frames_plan.h"
#include "receiver/field_watch.h"
#include "tester/v1/plan.pb.h"

namespace tester {

// Null without any. INVALID_ARGUMENT. `where` starts the message.
std::shared_ptr<const ExpectedFields> ValidateFields(const v1::Stream& stream,
                                                     const FramesPlan& contents,
                                                     std::string_view where);

}  // namespace tester
