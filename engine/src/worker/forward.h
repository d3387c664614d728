// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Forwarding for a path, one burst at a time: buffers go from port to port as they are.
#pragma once

#include <cstdint>

#include "worker/clock.h"
#include "worker/program.h"

namespace tester {

// Polls a port at which a running path begins, and sends what arrives by the other one, or holds
// it. Returns how many arrived or were released.
uint32_t ServePath(const PortProgram& program, const Classifier& classifier, const Clock& clock);

// When the next frame is due that a direction of a path holds; HoldQueue::kNever if there is none.
uint64_t NextReleaseNs(const PathEnd& path);

// Sends what a direction of a path holds and is due by an instant, at most a burst, at that
// instant: the frames are made ready before. Returns how many.
uint32_t ReleaseHeld(const PathEnd& path, const Clock& clock, uint64_t due_ns);

}  // namespace tester
