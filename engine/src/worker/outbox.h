// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The frames that are due of all streams of a port, gathered into one burst for the driver.
#pragma once

#include <cstdint>

#include "worker/clock.h"
#include "worker/program.h"

namespace tester {

// Fills the queue of a port from the wake-up times of the streams of a new program.
void QueueStreams(const QueueProgram& program);

// Runs the code of the next due frame down to the driver, and the kernel's with a frame like it,
// without sending: code, data and branch predictions are in the caches when the frame is due. The
// queue is not empty.
void Rehearse(const QueueProgram& program, uint64_t now_ns);

// Sends due frames, the earliest first, at most a burst. True when something was sent.
bool ServeStreams(const QueueProgram& program, const Clock& clock);

}  // namespace tester
