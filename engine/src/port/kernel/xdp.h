// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Conditions of an interface for AF_XDP, apart from its driver.
#pragma once

#include <string>

namespace tester {

// The reason not to try AF_XDP on an interface, in words; empty without one. A program that AF_XDP
// itself loaded and a killed process left is no reason: it is used again.
std::string XdpObstacle(int interface_index);

// Removes AF_XDP's program from an interface. False where there is no program, or a foreign one.
bool RemoveXdpProgram(int interface_index);

// libbpf and libxdp write to stderr; this makes it debug output of our own.
void QuietXdpLibraries();

}  // namespace tester
