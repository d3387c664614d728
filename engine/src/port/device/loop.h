// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// loop:TAG and delay:TAG ports: two of one tag are cross-connected in this process, one alone with
// itself.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "port/device/device.h"
#include "port/spec.h"

namespace tester {

// Devices for the loop ports among `specs`, by port name. What queue q sends arrives on queue q.
// INVALID_ARGUMENT for more than two of a tag; INTERNAL.
std::map<std::string, Device> MakeLoops(const std::vector<PortSpec>& specs, uint16_t queues);

}  // namespace tester
