// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A port of the tester: facts and readings of an ethdev, and its queues.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "policy/address_rules.h"
#include "port/device/device.h"
#include "port/device/flow_control.h"
#include "port/dry_run.h"
#include "port/kernel/claim.h"
#include "port/kernel/kernel_drops.h"
#include "port/kernel/settings.h"
#include "port/kernel/sockets.h"
#include "port/link.h"
#include "port/port_queue.h"
#include "port/unseen.h"
#include "stats/counters.h"
#include "wire/bytes.h"

struct rte_eth_stats;

namespace tester {

// Facts that do not change while the engine runs.
struct PortFacts {
  std::string name;
  std::string driver;
  std::string driver_reason;
  std::string interface;  // empty where the kernel knows none
  Mac mac{};
  bool has_wire = false;         // a NIC, of the kernel or of DPDK
  uint32_t max_frame_bytes = 0;  // FCS included
  // Remarks; and reasons not to trust any trial over this port. As sentences without their stop.
  std::vector<std::string> notes;
  std::vector<std::string> objections;
};

// Counts of frames since the port was opened. Nothing where the driver does not count.
struct PortReading {
  LinkReading link;
  uint64_t missed = 0;          // before the engine saw them
  uint64_t kernel_dropped = 0;  // by the interface, without missed frames
  std::optional<uint64_t> receive_errors;
  std::optional<uint64_t> send_errors;
  std::optional<uint64_t> pauses;
  bool obeys_pauses = false;
  // Taken by the driver, and not sent yet.
  std::optional<uint64_t> held;
  // Received by the interface; neither seen nor missed. Nothing while the worker is stuck, too.
  std::optional<uint64_t> unseen;
};

// Handles that a port holds on a kernel interface.
struct TakenInterface {
  InterfaceClaim claim;  // given up after the settings are as they were
  InterfaceSettings settings;
};

class Port {
 public:
  // `device` is started.
  Port(PortFacts facts, Device device, PortSockets sockets, TakenInterface taken);
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  const PortFacts& facts() const { return facts_; }
  uint16_t device() const { return device_.id(); }
  PortQueue& queue(size_t number) const { return *queues_[number]; }
  const std::vector<std::unique_ptr<PortQueue>>& queues() const { return queues_; }
  // Adds the counters of its queues to a sum.
  void SumUp(PortCounters& sum) const;
  // One of them summed over the queues.
  uint64_t Sum(Counter PortCounters::*counter) const;

  // Warms the kernel's code for sending, where the port sends through the kernel.
  void Rehearse() const {
    if (dry_run_) dry_run_->Go();
  }

  // Whether rehearsals do anything; nothing where the port does not send through the kernel.
  std::optional<bool> Rehearses() const;

  bool LinkUp() const;
  // Sets its interface down or up. False, with the reason in errno. Losses of the link by this are
  // intended and not in `Read`.
  bool SetLink(bool up);
  // Present bits per second; 0 if unknown or without a wire.
  uint64_t LinkSpeed() const;
  // Waits for frames that its workers have not received yet. Not for several threads at once.
  // `workers`: of its queues.
  PortReading Read(const std::vector<const WorkerCounters*>& workers);

  // An answer of a neighbour to one of its queues, for one control thread at a time.
  std::optional<Neighbour> PopLearned();

  // Not 0: it sends nothing (tester/access/fences.h).
  std::atomic<uint8_t> fences{0};
  // The addresses that frames of no stream may have; null without a limit. Streams are checked when
  // they are loaded.
  std::shared_ptr<const AddressRules> allowed;

 private:
  uint64_t Missed(const rte_eth_stats& stats);

  PortFacts facts_;
  TakenInterface taken_;  // given up after the device
  Device device_;
  std::vector<std::unique_ptr<PortQueue>> queues_;
  PortSockets sockets_;
  std::unique_ptr<const DryRun> dry_run_;
  FlowControl flow_control_;
  PauseStatistics pauses_;
  const uint64_t pauses_before_;
  Unseen unseen_;
  KernelDrops kernel_drops_;
  Link link_;
};

}  // namespace tester
