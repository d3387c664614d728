// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Cleans up after testers that were killed: links that they had taken down, their XDP program,
// promiscuous mode, and the features and flow control that they had switched off.
#pragma once

#include <string>
#include <vector>

#include "port/kernel/interface.h"

namespace tester {

// Restores an interface that the caller has claimed. Returns a description of the changes; empty
// without one.
std::string RestoreInterface(const Interface& interface);

// Restores all interfaces of this network namespace that no running tester has. Returns a line for
// each.
std::vector<std::string> RestoreInterfaces();

}  // namespace tester
