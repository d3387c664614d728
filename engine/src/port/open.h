// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// From the command line's port specs to open ports.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "port/port.h"
#include "port/spec.h"

namespace tester {

// Checks interfaces before any device is touched. Throws Error NOT_FOUND for an interface that does
// not exist, FAILED_PRECONDITION for one in use and not in `forced`, INVALID_ARGUMENT for one given
// twice.
void CheckInterfaces(const std::vector<PortSpec>& specs, const std::set<std::string>& forced);

// In the order of `specs`, with so many queues each. All or none: Error.
std::vector<std::unique_ptr<Port>> OpenPorts(const std::vector<PortSpec>& specs,
                                             uint16_t queues = 1);

}  // namespace tester
