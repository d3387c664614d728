// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// NAME=SPEC of the command line: which port, and by what driver.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tester {

enum class PortKind : uint8_t { kInterface, kAfXdp, kAfPacket, kPci, kVdev, kLoop };

struct PortSpec {
  std::string name;  // what jobs call it
  PortKind kind;
  std::string argument;  // interface, PCI address, DPDK vdev string or loop tag
};

inline constexpr std::string_view kPortSpecHelp =
    "NAME=SPEC with NAME of 1 to 32 letters, digits, '_', '-' and '.', and SPEC one of "
    "iface:IFACE, af_xdp:IFACE, af_packet:IFACE, pci:DDDD:BB:DD.F, vdev:DRIVER[,ARGS], loop:TAG";

// INVALID_ARGUMENT.
PortSpec ParsePortSpec(std::string_view text);

// True for the kinds whose argument is an interface of the kernel.
bool UsesKernelInterface(PortKind kind);

}  // namespace tester
