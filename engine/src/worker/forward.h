// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Forwarding for a path, one burst at a time: buffers go from port to port as they are.
#pragma once

#include <cstdint>

#include "worker/clock.h"
#include "worker/program.h"

namespace tester {

// Polls a port at which a running path begins, and sends what arrives by the other one. Returns how
// many arrived.
uint32_t ServePath(const PortProgram& program, const Classifier& classifier, const Clock& clock);

}  // namespace tester
