// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Conditions of an interface for AF_XDP, besides its driver.
#pragma once

#include <string>

namespace tester {

// Why AF_XDP is not to be tried on an interface, in words; empty where it is. An XDP program that
// AF_XDP itself has loaded and a killed process has left behind is no reason: it is used again.
std::string XdpObstacle(int interface_index);

// Takes the program of AF_XDP off an interface. False where there is none, or somebody else's.
bool RemoveXdpProgram(int interface_index);

// libbpf and libxdp write to stderr; this makes it debug output of our own.
void QuietXdpLibraries();

}  // namespace tester
