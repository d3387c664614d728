// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Validates the impairments of a path.
#pragma once

#include <string>

#include "inline/path_plan.h"
#include "tester/v1/inline.pb.h"

namespace tester {

// Adds the impairment of one direction to `plan`. `path` starts the message. INVALID_ARGUMENT.
void ValidateImpairment(const v1::Impairment& impairment, const std::string& path, PathPlan& plan);

}  // namespace tester
