// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The kernel's view of a network interface.
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
  bool up = false;       // as it was set
  bool running = false;  // and it has a carrier
  // How often it lost its carrier since it was created.
  uint64_t carrier_downs = 0;
  bool is_virtual = false;  // veth, macvlan, tun and the like
  // Bits per second; 0 where the link is virtual or does not know.
  uint64_t speed_bps = 0;
  // Promiscuous mode is on by the interface's own flag.
  bool promiscuous = false;
  bool has_xdp_program = false;
  // Other names that it answers to (ip link property).
  std::vector<std::string> other_names;

  // Frames since it was created: that the kernel dropped on it as they arrived, and otherwise; that
  // arrived, whole and damaged; that it could not send.
  uint64_t dropped_on_arrival = 0;
  uint64_t dropped = 0;
  uint64_t received = 0;
  uint64_t receive_errors = 0;
  uint64_t send_errors = 0;
};

std::optional<Interface> FindInterface(const std::string& name);
std::vector<std::string> InterfaceNames();
// The interfaces of a PCI device, of a kernel driver or of a DPDK driver that keeps them.
std::vector<std::string> InterfacesOfPci(const std::string& address);
// All of this network namespace.
std::vector<Interface> Interfaces();

// The flags that `Interface::promiscuous` and `Interface::up` are. False, with the reason in errno.
bool SetPromiscuous(const std::string& name, bool on);
bool SwitchInterface(const std::string& name, bool on);

// Addresses and default routes that would stop working if the tester took the interface, as text.
// Those of a bridge, bond or VLAN above it count too, link-local addresses do not.
std::vector<std::string> UsesOfInterface(int index);

}  // namespace tester
