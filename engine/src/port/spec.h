// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// NAME=SPEC of the command line: a port and its driver.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tester {

enum class PortKind : uint8_t { kInterface, kAfXdp, kAfPacket, kPci, kVdev, kLoop, kDelay };

// How long a frame takes to arrive: a random time, the same for all when both are equal.
struct DelayRange {
  uint64_t least_ns;
  uint64_t most_ns;
};

struct PortSpec {
  std::string name;  // its name in jobs
  PortKind kind;
  std::string argument;  // interface, PCI address, DPDK vdev string or tag of a loop
  DelayRange delay{};    // kDelay only
};

inline constexpr std::string_view kPortSpecHelp =
    "NAME=SPEC with NAME of 1 to 32 letters, digits, '_', '-' and '.', and SPEC one of "
    "iface:IFACE, af_xdp:IFACE, af_packet:IFACE, pci:DDDD:BB:DD.F, vdev:DRIVER[,ARGS], loop:TAG, "
    "delay:TAG,NS[-NS]";

// INVALID_ARGUMENT.
PortSpec ParsePortSpec(std::string_view text);

// True for kinds with a kernel interface as their argument.
bool UsesKernelInterface(PortKind kind);

// True for kinds with a tag as their argument: ports connected in this process.
bool IsLoop(PortKind kind);

}  // namespace tester
