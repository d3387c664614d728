// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// What AF_XDP needs of an interface besides its driver.
#pragma once

#include <string>

namespace tester {

// The name of an XDP program on the interface that is somebody else's; empty where there is none or
// it is what AF_XDP itself loads and a killed process has left behind, which is used again.
std::string ForeignXdpProgram(int interface_index);

// libbpf and libxdp write to stderr; this makes it debug output of our own.
void QuietXdpLibraries();

}  // namespace tester
