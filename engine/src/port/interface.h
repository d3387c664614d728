// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// What the kernel says of a network interface.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wire/bytes.h"

namespace tester {

struct Interface {
  std::string name;
  int index = 0;
  Mac mac{};
  uint32_t mtu = 0;
  bool running = false;
  // How often it lost its carrier since it was created.
  uint64_t carrier_downs = 0;
  bool is_virtual = false;  // veth, macvlan, tun and the like
  // Bits per second; 0 where the link is virtual or does not know.
  uint64_t speed_bps = 0;
  // Frames the kernel dropped on it, either way, since it was created.
  uint64_t dropped = 0;
};

std::optional<Interface> FindInterface(const std::string& name);
std::vector<std::string> InterfaceNames();

// What somebody would lose if the tester took the interface: its addresses and default routes, as
// text. Link-local addresses are nobody's.
std::vector<std::string> UsesOfInterface(int index);

}  // namespace tester
