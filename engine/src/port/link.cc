// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/link.h"

#include <rte_ethdev.h>

#include <algorithm>
#include <cerrno>

#include "port/device/device.h"

namespace tester {
namespace {

// DPDK's interrupt thread calls it.
int OnChange(uint16_t /*device*/, rte_eth_event_type /*event*/, void* interrupts,
             void* /*unused*/) {
  static_cast<LinkInterrupts*>(interrupts)->Look();
  return 0;
}

}  // namespace

bool DeviceUp(uint16_t device) {
  rte_eth_link link{};
  return rte_eth_link_get_nowait(device, &link) == 0 && link.link_status == RTE_ETH_LINK_UP;
}

LinkInterrupts::LinkInterrupts(uint16_t device) : device_(device), up_(DeviceUp(device)) {
  rte_eth_dev_callback_register(device_, RTE_ETH_EVENT_INTR_LSC, OnChange, this);
}

LinkInterrupts::~LinkInterrupts() {
  // Not while it is being called.
  while (rte_eth_dev_callback_unregister(device_, RTE_ETH_EVENT_INTR_LSC, OnChange, this) ==
         -EAGAIN) {
  }
}

void LinkInterrupts::Look() {
  const bool up = DeviceUp(device_);
  if (up_ && !up) downs_.fetch_add(1, std::memory_order_relaxed);
  up_ = up;
}

Link::Link(uint16_t device, const std::string& interface)
    : device_(device),
      name_(interface),
      before_(interface.empty() ? Interface{} : FindInterface(interface).value_or(Interface{})),
      interrupts_(interface.empty() && TellsOfLinks(device)
                      ? std::make_unique<LinkInterrupts>(device)
                      : nullptr) {
  Read();
}

LinkReading Link::Read() {
  if (name_.empty()) {
    See(DeviceUp(device_));
    // Some drivers have the interrupt and do not pass it on (net_tap of DPDK 22.11).
    if (interrupts_) last_.downs = std::max(last_.downs, interrupts_->downs());
    return last_;
  }
  const auto interface = FindInterface(name_);
  // A new interface of the same name is not the interface of the port.
  if (!interface || interface->index != before_.index) {
    See(false);
    return last_;
  }
  const std::lock_guard lock(outages_);
  const Interface& lost = since_ ? *since_ : *interface;
  last_ = {.up = interface->running,
           .downs = lost.carrier_downs - before_.carrier_downs,
           .dropped_on_arrival = lost.dropped_on_arrival - before_.dropped_on_arrival,
           .dropped = lost.dropped - before_.dropped,
           .received = interface->received - before_.received,
           .receive_errors = interface->receive_errors - before_.receive_errors,
           .send_errors = interface->send_errors - before_.send_errors};
  return last_;
}

void Link::BeginOutage() {
  const std::lock_guard lock(outages_);
  if (!since_) since_ = FindInterface(name_);
}

void Link::EndOutage() {
  const std::lock_guard lock(outages_);
  const auto now = FindInterface(name_);
  if (since_ && now) {
    before_.carrier_downs += now->carrier_downs - since_->carrier_downs;
    before_.dropped_on_arrival += now->dropped_on_arrival - since_->dropped_on_arrival;
    before_.dropped += now->dropped - since_->dropped;
  }
  since_.reset();
}

void Link::See(bool up) {
  if (last_.up && !up) ++last_.downs;
  last_.up = up;
}

}  // namespace tester
