// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/kernel/leftovers.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "port/kernel/claim.h"
#include "port/kernel/restoration.h"
#include "port/kernel/settings.h"
#include "port/kernel/xdp.h"

namespace tester {
namespace {

std::string Describe(const Interface& before, const Restoration& restoration, bool had_program) {
  std::vector<std::string> undone;
  if (restoration.up && !before.up) undone.emplace_back("set up");
  if (had_program) undone.emplace_back("XDP program taken away");
  if (restoration.promiscuous) undone.emplace_back("promiscuous mode off");
  for (const auto* feature : restoration.features) {
    undone.push_back(Cat(feature->name, " on"));
  }
  if (restoration.pause) undone.emplace_back("flow control as it was");
  return Join(undone);
}

}  // namespace

std::string RestoreInterface(const Interface& interface) {
  const auto mark = std::ranges::find_if(interface.other_names, IsMark);
  if (mark == interface.other_names.end()) return {};
  const Restoration restoration = ParseMark(*mark);
  const bool had_program = restoration.xdp && RemoveXdpProgram(interface.index);
  Restore(interface.name, interface.index, restoration);
  return Cat(interface.name, ": ", Describe(interface, restoration, had_program),
             ", which a tester that was killed had changed");
}

std::vector<std::string> RestoreInterfaces() {
  std::vector<std::string> restored;
  for (const auto& interface : Interfaces()) {
    if (std::ranges::none_of(interface.other_names, IsMark)) continue;
    try {
      const InterfaceClaim claim(interface.name);
      restored.push_back(RestoreInterface(interface));
    } catch (const Error&) {
      continue;  // a living tester has it
    }
  }
  return restored;
}

}  // namespace tester
