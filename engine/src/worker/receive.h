// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Receives in bursts: counts frames of streams, and answers ARP and neighbour discovery.
#pragma once

#include <cstdint>

#include "worker/clock.h"
#include "worker/program.h"

namespace tester {

// Polls the port once more than it has frames, but a bounded number of times. Returns how many
// arrived.
uint32_t ServeReceive(const QueueProgram& port, const Classifier& classifier, const Clock& clock);

}  // namespace tester
