// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/port.h"

#include <rte_ethdev.h>

#include <utility>

#include "port/interface.h"

namespace tester {

Port::Port(PortFacts facts, Device device, PortSockets sockets, InterfaceClaim claim)
    : facts_(std::move(facts)),
      claim_(std::move(claim)),
      device_(std::move(device)),
      sockets_(std::move(sockets)),
      dry_run_(facts_.interface.empty() ? nullptr : std::make_unique<const DryRun>()),
      link_(device_.id(), facts_.interface) {}

bool Port::LinkUp() const {
  if (!facts_.interface.empty()) {
    const auto interface = FindInterface(facts_.interface);
    return interface && interface->running;
  }
  return DeviceUp(device());
}

uint64_t Port::Missed() {
  // The sockets know more than what net_af_xdp and net_af_packet pass on of it.
  return DeviceMissed() + sockets_.ReadDropped();
}

uint64_t Port::DeviceMissed() const {
  rte_eth_stats stats{};
  if (rte_eth_stats_get(device(), &stats) != 0) return 0;
  const uint64_t lost = stats.ierrors + stats.rx_nombuf;
  return facts_.driver == "net_af_xdp" ? lost : lost + stats.imissed;
}

}  // namespace tester
