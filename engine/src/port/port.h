// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A port of the tester: an ethdev, its buffers, and what is counted on it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "port/claim.h"
#include "port/device.h"
#include "port/dry_run.h"
#include "port/link.h"
#include "port/sockets.h"
#include "responder/learned.h"
#include "stats/counters.h"
#include "wire/bytes.h"

namespace tester {

struct InjectOrder;
struct PortTaps;

// What does not change while the engine runs.
struct PortFacts {
  std::string name;
  std::string driver;
  std::string driver_reason;
  std::string interface;  // empty where the kernel knows none
  Mac mac{};
  uint64_t link_speed_bps = 0;
  uint32_t max_frame_bytes = 0;  // FCS included
};

class Port {
 public:
  // `device` is started.
  Port(PortFacts facts, Device device, PortSockets sockets, InterfaceClaim claim);
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  const PortFacts& facts() const { return facts_; }
  uint16_t device() const { return device_.id(); }
  // Holds nothing but frames to send, unless it is the receive pool as well.
  rte_mempool* tx_pool() const { return device_.tx_pool(); }
  bool shared_pool() const { return device_.shared_pool(); }

  // Warms the kernel's code for sending, where the port sends through the kernel.
  void Rehearse() const {
    if (dry_run_) dry_run_->Go();
  }

  bool LinkUp() const;
  // Frames lost before the engine saw them. Not for several threads at once.
  uint64_t Missed();
  // Not for several threads at once.
  LinkReading ReadLink() { return link_.Read(); }

  PortCounters counters;
  // Frames to send once. Set by a control thread; the worker sends them and clears it.
  std::atomic<InjectOrder*> inject{nullptr};
  // What neighbours have said of themselves, for control threads to read.
  LearnedRing learned;
  // Worker's own.
  uint64_t last_poll_ns = 0;
  const PortTaps* taps = nullptr;  // of its program

 private:
  uint64_t DeviceMissed() const;

  PortFacts facts_;
  InterfaceClaim claim_;  // given up after the device
  Device device_;
  PortSockets sockets_;
  std::unique_ptr<const DryRun> dry_run_;
  Link link_;
};

}  // namespace tester
