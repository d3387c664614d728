// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Receiving, one burst at a time: count what is ours, answer who asks for a neighbour.
#pragma once

#include <cstdint>

#include "worker/clock.h"
#include "worker/program.h"

namespace tester {

// Polls the port once more than it has frames, but a bounded number of times. Returns how many
// arrived.
uint32_t ServeReceive(const PortProgram& port, const Classifier& classifier, const Clock& clock);

}  // namespace tester
