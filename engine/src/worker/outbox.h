// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The frames that are due of all streams of a port, gathered into one burst for the driver.
#pragma once

#include <cstdint>

#include "worker/clock.h"
#include "worker/program.h"

namespace tester {

// Fills the queue of a port from what the streams of a new program have said before.
void QueueStreams(const PortProgram& port);

// Goes the way of the frame that is due next, down to the driver, and one like the kernel's behind
// it, but sends nothing: when it is due, code and data are in the caches again, and branches are
// foreseen. The queue is not empty.
void Rehearse(const PortProgram& port, uint64_t now_ns);

// Sends what is due, the earliest first, at most a burst. True when something was sent.
bool ServeStreams(const PortProgram& port, const Clock& clock);

}  // namespace tester
