// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Encodes the changes of a tester to an interface, which must be restored, as an alternative name
// of the interface. After a kill the next tester finds it there; it disappears with the interface.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "port/kernel/ethtool.h"

namespace tester {

// A feature with which frames do not arrive as they were sent.
struct UnwantedFeature {
  std::string_view name;    // the kernel's
  std::string_view mark;    // in the name that the interface bears
  std::string_view option;  // of ethtool -K
  std::string_view effect;
};

inline constexpr std::array<UnwantedFeature, 5> kUnwantedFeatures = {{
    {"rx-gro", "gro", "gro", "joins received frames"},
    {"rx-gro-hw", "hwgro", "rx-gro-hw", "joins received frames"},
    {"rx-lro", "lro", "lro", "joins received frames"},
    {"rx-vlan-hw-parse", "vlan", "rxvlan", "takes VLAN tags off received frames"},
    {"rx-vlan-stag-hw-parse", "svlan", "rx-vlan-stag-hw-parse",
     "takes VLAN tags off received frames"},
}};

struct Restoration {
  bool up = false;                               // to be set
  bool promiscuous = false;                      // mode, to be switched off
  bool xdp = false;                              // program, to be taken away
  std::vector<const UnwantedFeature*> features;  // to be switched on again
  std::optional<PauseSetting> pause;

  // "testerd.7.up.promisc.xdp.gro.pause-101": unique in a network namespace.
  std::string Mark(int interface_index) const;
};

bool IsMark(std::string_view name);

// The reverse; unknown parts are left out.
Restoration ParseMark(std::string_view mark);

}  // namespace tester
