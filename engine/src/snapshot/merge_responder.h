// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Counters of responders to messages.
#pragma once

#include "responder/responder_counters.h"
#include "tester/v1/counters.pb.h"

namespace tester {

// All fields except those of the job.
void FillResponder(const ResponderCounters& counters, v1::EndCounters& out);

}  // namespace tester
