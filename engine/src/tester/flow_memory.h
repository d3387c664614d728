// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The memory that starts of jobs need for their flows. It is touched before the first frame: where
// there is too little, a call is refused, and no process is killed in the middle of a trial.
#pragma once

#include <cstdint>
#include <vector>

#include "tester/loaded.h"

namespace tester {

// RESOURCE_EXHAUSTED where there is not enough for a start of this job.
void CheckFlowMemory(const Job& job);
// And for a start of these, whose flows of the start before may still be in use.
void CheckFlowMemory(const std::vector<LoadedJob*>& jobs);

}  // namespace tester
