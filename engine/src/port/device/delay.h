// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A delay of known length between two ports of a loop, against which measurements of delay and
// order are checked.
#pragma once

#include <cstdint>

#include "port/spec.h"

namespace tester {

// From now on, frames that other ports of this process send to a started loop device arrive so long
// after they were sent, each for itself, at the first poll of their queue then. Polls cost more.
// INTERNAL.
void DelayArrivals(uint16_t device, uint16_t queues, const DelayRange& range);

}  // namespace tester
