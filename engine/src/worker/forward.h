// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Forwards the frames of a path in bursts, from port to port without a copy.
#pragma once

#include <cstdint>

#include "worker/clock.h"
#include "worker/program.h"

namespace tester {

// Polls a port at which a running path begins, and sends the frames by the other port or holds
// them. Returns the number of frames that arrived or were released.
uint32_t ServePath(const QueueProgram& program, const Classifier& classifier, const Clock& clock);

// The next instant at which a held frame of this direction is due; HoldQueue::kNever without one.
uint64_t NextReleaseNs(const PathEnd& path);

// Sends held frames of a direction that are due by `due_ns`, at most a burst, at that instant: it
// prepares them before. Returns their number.
uint32_t ReleaseHeld(const PathEnd& path, const Clock& clock, uint64_t due_ns);

}  // namespace tester
